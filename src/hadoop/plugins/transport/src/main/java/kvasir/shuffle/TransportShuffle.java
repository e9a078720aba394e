package kvasir.shuffle;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import kvasir.transport.InvalidSettingException;
import kvasir.transport.MapOutputClient;
import kvasir.transport.Settings;
import kvasir.transport.Transport;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Merger;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapreduce.CryptoUtils;
import org.apache.hadoop.mapreduce.MRConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a reduce task the merged records of all map outputs, which come over the transport.
 *
 * <p>What goes wrong before the reducer has got a record leaves the task to Hadoop's own shuffle;
 * afterwards the attempt fails, and another one begins anew. Hadoop's own shuffle, which checks all
 * bytes before the reducer gets any, does the last attempts: a reducer may fail by a wrong record
 * before its checksum is reached, and nobody would blame the map.
 */
public abstract class TransportShuffle<K, V> implements ShuffleConsumerPlugin<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(TransportShuffle.class);

  private final String plugin;
  private final String counters;
  private final Supplier<ShuffleConsumerPlugin<K, V>> fallback;
  private Context<K, V> context;
  private ShuffleConsumerPlugin<K, V> stock;

  /**
   * Makes a shuffle.
   *
   * @param plugin of which it is; kvasir.PLUGIN.attempts says how many attempts at a task it does
   * @param counters group of its job counters
   * @param fallback makes Hadoop's own shuffle
   */
  protected TransportShuffle(
      String plugin, String counters, Supplier<ShuffleConsumerPlugin<K, V>> fallback) {
    this.plugin = plugin;
    this.counters = counters;
    this.fallback = fallback;
  }

  /**
   * Returns all records, merged. What is not ready yet may come while they are read.
   *
   * @throws IOException when the stock shuffle has to take over
   */
  protected abstract RawKeyValueIterator shuffle() throws IOException, InterruptedException;

  /** Ends what {@link #shuffle} has started, if it has; may be called several times. */
  protected abstract void stop();

  /**
   * Reads the properties that this shuffle has besides those of all.
   *
   * @throws InvalidSettingException when one of them cannot be
   */
  protected void check(JobConf conf) {}

  @Override
  public final void init(Context<K, V> of) {
    context = of;
  }

  @Override
  public final RawKeyValueIterator run() throws IOException, InterruptedException {
    JobConf conf = context.getJobConf();
    // On every attempt: the stock shuffle would hide that nothing of what was asked for happens.
    checkAll(conf);
    String reason = unsuitable(conf);
    if (reason != null) {
      Transport.ofJob(conf).require();
    } else {
      long before = context.getReduceShuffleBytes().getCounter();
      RawKeyValueIterator merged = null;
      try {
        merged = shuffle();
      } catch (InvalidSettingException e) {
        throw e;
      } catch (IOException | RuntimeException | OutOfMemoryError e) {
        LOG.warn("the shuffle fails before the first record", e);
        reason = e.toString();
        stop();
        long now = context.getReduceShuffleBytes().getCounter();
        context.getReduceShuffleBytes().increment(before - now);
      }
      if (merged != null) {
        // The phases after it are completed by the reduce task itself.
        context.getCopyPhase().complete();
        context.getStatus().setPhase(TaskStatus.Phase.SORT);
        context.getReduceTask().statusUpdate(context.getUmbilical());
        return merged;
      }
    }
    LOG.warn("Hadoop's own shuffle takes over: {}", reason);
    count("Left to the stock shuffle", 1);
    stock = fallback.get();
    stock.init(context);
    return stock.run();
  }

  @Override
  public final void close() {
    stop();
    if (stock != null) {
      stock.close();
    }
  }

  private void checkAll(JobConf conf) {
    new Settings(conf);
    new FetchTries(conf, plugin);
    MapEvents.pollMs(conf, plugin);
    ShuffleMemory.bytes(conf, plugin, 0, 0);
    ShuffleMemory.chunkBytes(conf, plugin, 1);
    attempts(conf);
    check(conf);
  }

  private int attempts(JobConf conf) {
    return Settings.within(conf, "kvasir." + plugin + ".attempts", 2, 1, 1000);
  }

  /** Returns why a task cannot have its map outputs from the transport, null when it can. */
  private String unsuitable(JobConf conf) {
    int most = attempts(conf);
    if (context.getLocalMapFiles() != null) {
      return "the maps ran in the same process";
    }
    if (context.getReduceId().getId() >= most) {
      return most + " attempts have ended without a result";
    }
    if (context.getReduceTask().getShuffleSecret() == null) {
      return "the task has no shuffle secret";
    }
    if (CryptoUtils.isEncryptedSpillEnabled(conf)) {
      return "map outputs are encrypted";
    }
    if (conf.getBoolean(MRConfig.SHUFFLE_SSL_ENABLED_KEY, MRConfig.SHUFFLE_SSL_ENABLED_DEFAULT)) {
      return "the shuffle has to be encrypted";
    }
    return null;
  }

  /** Returns the context of the reduce task. */
  protected final Context<K, V> context() {
    return context;
  }

  /** Adds to a counter of this shuffle. */
  protected final void count(String name, long more) {
    context.getReporter().getCounter(counters, name).increment(more);
  }

  /** Returns a client for the outputs of this job. */
  protected final MapOutputClient connect(Settings settings) throws IOException {
    byte[] secret = context.getReduceTask().getShuffleSecret().getEncoded();
    String job = context.getReduceId().getJobID().toString();
    return Transport.ofJob(context.getJobConf()).connect(job, secret, settings);
  }

  /**
   * Merges outputs, at most {@code factor} at a time: more of them are merged to the disk first.
   *
   * @param readBytes what each output's reader may hold besides a record
   */
  protected final RawKeyValueIterator merge(
      List<? extends OutputBytes> outputs, int factor, int readBytes, Reports reports)
      throws IOException {
    return merge(outputs, outputs.size(), factor, readBytes, reports);
  }

  /** Merges what so many map outputs have become; see the other. */
  protected final RawKeyValueIterator merge(
      List<? extends OutputBytes> outputs, int maps, int factor, int readBytes, Reports reports)
      throws IOException {
    List<SegmentReader<K, V>> readers = readers(outputs, readBytes, reports);
    RawKeyValueIterator merged = merged(readers, factor);
    readers.forEach(SegmentReader::handOn);
    context.getShuffledMapsCounter().increment(maps);
    context.getMergedMapOutputsCounter().increment(maps);
    count("Outputs", maps);
    return merged;
  }

  /**
   * Merges outputs for another merge, all at once. What is wrong with them is not reported: their
   * maps may run again already.
   */
  protected final RawKeyValueIterator mergeAhead(List<? extends OutputBytes> outputs, int readBytes)
      throws IOException {
    return merged(readers(outputs, readBytes, null), outputs.size());
  }

  private List<SegmentReader<K, V>> readers(
      List<? extends OutputBytes> outputs, int readBytes, Reports reports) throws IOException {
    List<SegmentReader<K, V>> readers = new ArrayList<>();
    for (OutputBytes output : outputs) {
      readers.add(
          new SegmentReader<>(
              context.getJobConf(), output, context.getCodec(), readBytes, reports));
    }
    return readers;
  }

  @SuppressWarnings("unchecked")
  private RawKeyValueIterator merged(List<SegmentReader<K, V>> readers, int factor)
      throws IOException {
    JobConf conf = context.getJobConf();
    List<Merger.Segment<K, V>> segments = new ArrayList<>();
    for (SegmentReader<K, V> reader : readers) {
      segments.add(new Merger.Segment<>(reader, false));
    }
    return Merger.merge(
        conf,
        context.getLocalFS(),
        (Class<K>) conf.getMapOutputKeyClass(),
        (Class<V>) conf.getMapOutputValueClass(),
        segments,
        Math.max(2, factor),
        new Path(context.getReduceId().toString()),
        (RawComparator<K>) conf.getOutputKeyComparator(),
        context.getReporter(),
        null,
        context.getSpilledRecordsCounter(),
        null);
  }
}
