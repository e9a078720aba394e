package kvasir.rdma;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
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
 * Gives a reduce task the merged records of all map outputs, which are taken into memory while the
 * maps run and merged while their rest arrives.
 *
 * <p>{@link Guard} bounds the memory. Combiners run on the map side only: Hadoop's own shuffle runs
 * them again only over what it writes to the disk.
 */
public final class RdmaShuffle<K, V> extends TransportShuffle<K, V> {
  private final Heap heap;
  private MapOutputClient client;
  private Guard guard;
  private SpillFile spill;

  /** Makes a shuffle that leaves to Hadoop's own what it cannot do. */
  public RdmaShuffle() {
    this(Shuffle::new);
  }

  RdmaShuffle(Supplier<ShuffleConsumerPlugin<K, V>> fallback) {
    this(fallback, new HeapOfProcess());
  }

  RdmaShuffle(Supplier<ShuffleConsumerPlugin<K, V>> fallback, Heap heap) {
    super("rdma", "Rdma", fallback);
    this.heap = heap;
  }

  @Override
  protected void check(JobConf conf) {
    Service.portOffset(conf);
  }

  @Override
  protected RawKeyValueIterator shuffle() throws IOException, InterruptedException {
    Context<K, V> context = context();
    int maps = context.getJobConf().getNumMapTasks();
    Settings settings = new Settings(context.getJobConf());
    ShuffleMemory memory = ShuffleMemory.of(context.getJobConf(), "rdma", maps);
    Reports reports = new Reports(context);
    MapOutputClient plain = connect(settings);
    // What comes at another try is nobody's fault.
    client = new RetryingClient(plain, settings);
    spill =
        new SpillFile(context.getJobConf(), context.getLocalFS(), context.getReduceId() + ".rdma");
    guard = new Guard(memory, spill, heap);
    List<Inflow> inflows =
        new Copier(context, maps, new Clients(plain, client), guard, reports).collect();
    // All at once: the guard has seen to it that there is memory for it.
    return merge(inflows, inflows.size(), memory.readBytes(), reports);
  }

  @Override
  protected void stop() {
    if (guard != null) {
      guard.stop();
      count("Peak bytes in memory", guard.peak());
      count("Bytes spilled", spill.written());
      count("Buffers", guard.granted());
      guard = null;
    }
    if (client != null) {
      client.close();
      client = null;
    }
    if (spill != null) {
      spill.close();
      spill = null;
    }
  }
}
