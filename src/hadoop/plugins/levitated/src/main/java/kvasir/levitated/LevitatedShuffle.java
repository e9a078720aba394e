package kvasir.levitated;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import kvasir.shuffle.Reports;
import kvasir.shuffle.TransportShuffle;
import kvasir.transport.Buffers;
import kvasir.transport.MapOutputClient;
import kvasir.transport.RetryingClient;
import kvasir.transport.Settings;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapreduce.task.reduce.Shuffle;

/**
 * Gives a reduce task the merged records of all map outputs, of which only the heads are here, in
 * memory; nothing is written to the disk.
 *
 * <p>Combiners run on the map side only: Hadoop's own shuffle runs them again only over what it
 * writes to the disk.
 */
public final class LevitatedShuffle<K, V> extends TransportShuffle<K, V> {
  private MapOutputClient client;
  private Buffers buffers;

  /** Makes a shuffle that leaves to Hadoop's own what it cannot do. */
  public LevitatedShuffle() {
    this(Shuffle::new);
  }

  LevitatedShuffle(Supplier<ShuffleConsumerPlugin<K, V>> fallback) {
    super("levitated", "Levitated", fallback);
  }

  @Override
  protected void check(JobConf conf) {
    Memory.bytes(conf);
  }

  @Override
  protected RawKeyValueIterator shuffle() throws IOException, InterruptedException {
    Context<K, V> context = context();
    int maps = context.getJobConf().getNumMapTasks();
    Settings settings = new Settings(context.getJobConf());
    Memory memory = new Memory(context.getJobConf(), maps);
    Reports reports = new Reports(context);
    MapOutputClient plain = connect(settings);
    // What comes at another try is nobody's fault.
    client = new RetryingClient(plain, settings);
    // Outputs that were withdrawn keep theirs for a while.
    long most = 2L * maps * (1 + memory.ahead());
    buffers = new Buffers(memory.chunkBytes(), (int) Math.min(Integer.MAX_VALUE, most));
    Streams streams =
        new Streams(
            client,
            buffers,
            memory.ahead(),
            context.getReporter(),
            context.getReduceShuffleBytes());
    List<RemoteOutput> outputs =
        new Heads(context, maps, plain, settings, streams, reports).collect();
    // All at once, so that nothing has to be written down in between.
    return merge(outputs, outputs.size(), memory.readBytes(), reports);
  }

  @Override
  protected void stop() {
    if (client != null) {
      client.close();
      client = null;
      count("Peak bytes of heads", buffers == null ? 0 : buffers.peakBytes());
      buffers = null;
    }
  }
}
