package kvasir.homr;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import kvasir.shuffle.Heap;
import kvasir.shuffle.HeapOfProcess;
import kvasir.shuffle.Reports;
import kvasir.shuffle.ShuffleMemory;
import kvasir.shuffle.SpillFile;
import kvasir.shuffle.TransportShuffle;
import kvasir.transport.MapOutputClient;
import kvasir.transport.RetryingClient;
import kvasir.transport.Settings;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapreduce.task.reduce.Shuffle;

/**
 * Gives a reduce task the merged records of all map outputs; merges them while maps run, and gives
 * the first ones while map outputs arrive.
 *
 * <p>{@link Pool} bounds the memory. Combiners run on the map side only: Hadoop's own shuffle runs
 * them again only over what it writes to the disk.
 */
public final class HomrShuffle<K, V> extends TransportShuffle<K, V> {
  /** How many pieces of outputs are asked of a server at a time, besides first ones. */
  static final String FETCHES = "kvasir.homr.fetches";

  /** Milliseconds that a fetch should not take longer than. */
  static final String FETCH_MS = "kvasir.homr.fetch-ms";

  private final Heap heap;
  private final UnaryOperator<MapOutputClient> wrapper;
  private MapOutputClient client;
  private Pool pool;
  private SpillFile spill;
  private Merges<K, V> merges;
  private Copier copier;
  private long bytesBefore;

  /** Makes a shuffle that leaves to Hadoop's own what it cannot do. */
  public HomrShuffle() {
    this(Shuffle::new);
  }

  HomrShuffle(Supplier<ShuffleConsumerPlugin<K, V>> fallback) {
    this(fallback, new HeapOfProcess(), UnaryOperator.identity());
  }

  /** Makes one that fetches by what {@code wrapper} makes of its client. */
  HomrShuffle(
      Supplier<ShuffleConsumerPlugin<K, V>> fallback,
      Heap heap,
      UnaryOperator<MapOutputClient> wrapper) {
    super("homr", "Homr", fallback);
    this.heap = heap;
    this.wrapper = wrapper;
  }

  /** Returns how many merges have ended while maps run; for the thread that runs the shuffle. */
  long mergesEnded() {
    return copier == null ? 0 : copier.ahead().ended();
  }

  /** Returns the bytes that are held. */
  long used() {
    return pool == null ? 0 : pool.used();
  }

  @Override
  protected void check(JobConf conf) {
    fetches(conf);
    fetchMs(conf);
    Ahead.number(conf);
  }

  private static int fetches(JobConf conf) {
    return Settings.within(conf, FETCHES, 2, 1, 1000);
  }

  private static int fetchMs(JobConf conf) {
    return Settings.within(conf, FETCH_MS, 250, 1, 60_000);
  }

  @Override
  protected RawKeyValueIterator shuffle() throws IOException, InterruptedException {
    Context<K, V> context = context();
    Settings settings = new Settings(context.getJobConf());
    int maps = context.getJobConf().getNumMapTasks();
    ShuffleMemory memory = ShuffleMemory.of(context.getJobConf(), "homr", maps);
    int fetches = fetches(context.getJobConf());
    int fetchMs = fetchMs(context.getJobConf());
    Reports reports = new Reports(context);
    spill =
        new SpillFile(context.getJobConf(), context.getLocalFS(), context.getReduceId() + ".homr");
    pool =
        new Pool(
            memory,
            spill,
            heap,
            new Volume(memory.least(), memory.most(), fetchMs / 1000.0),
            fetches);
    merges = new Merges<>(context, outputs -> mergeAhead(outputs, memory.readBytes()));
    MapOutputClient plain = wrapper.apply(connect(settings));
    // What comes at another try is nobody's fault.
    client = new RetryingClient(plain, settings);
    copier = new Copier(context, plain, client, settings, pool, merges, reports);
    List<Held> all = copier.collect();
    // All at once: there is memory for it.
    RawKeyValueIterator merged =
        merge(all, copier.outputs(), all.size(), memory.readBytes(), reports);
    bytesBefore = context.getReduceShuffleBytes().getCounter();
    return merged;
  }

  @Override
  protected void stop() {
    if (pool != null) {
      pool.stop();
    }
    if (client != null) {
      client.close();
      client = null;
    }
    if (merges != null) {
      merges.stop();
      merges = null;
    }
    if (pool != null) {
      count("Peak bytes in memory", pool.peak());
      count("Bytes spilled", spill.written());
      pool = null;
    }
    if (copier != null) {
      count("Merges while maps ran", mergesEnded());
      count("Bytes merged while maps ran", copier.ahead().bytes());
      copier = null;
    }
    if (bytesBefore > 0) {
      long now = context().getReduceShuffleBytes().getCounter();
      count("Bytes that came while records were reduced", now - bytesBefore);
      bytesBefore = 0;
    }
    if (spill != null) {
      spill.close();
      spill = null;
    }
  }
}
