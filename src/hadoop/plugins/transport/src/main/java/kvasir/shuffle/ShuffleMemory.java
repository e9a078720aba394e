package kvasir.shuffle;

import java.io.IOException;
import kvasir.transport.Settings;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * Divides the memory of a reduce task's shuffle among its map outputs.
 *
 * <p>Properties kvasir.PLUGIN.memory-mb (megabytes that map outputs may take; 0: the part of the
 * heap that Hadoop's own shuffle takes) and kvasir.PLUGIN.chunk-kb (kilobytes that are fetched of
 * an output at a time, at most).
 */
public final class ShuffleMemory {
  /** Of each output there are what is being merged, what comes next, and what the reader holds. */
  public static final int SHARES = 3;

  /** Bytes that each of these has at least. */
  public static final int LEAST_BYTES = 1024;

  /** Bytes that a reader holds at most. */
  public static final int MOST_READ_BYTES = 16 << 10;

  private static final int MOST_LEAST_BYTES = 64 << 10;

  /** Part of the space for objects that last: the rest of it is the reducer's. */
  private static final double OF_LASTING = 0.8;

  private final int least;
  private final int most;
  private final long ahead;

  private ShuffleMemory(int least, int most, long ahead) {
    this.least = least;
    this.most = most;
    this.ahead = ahead;
  }

  /**
   * Divides the memory that {@code conf} allows a plug-in: half of it at most is kept for what each
   * output needs to be merged at all, the rest is for what is fetched ahead.
   *
   * @throws IOException when it is too little for so many outputs
   */
  public static ShuffleMemory of(Configuration conf, String plugin, int maps) throws IOException {
    long all = bytes(conf, plugin, 0, 0);
    if (all == 0) {
      all = ofHeap(conf);
    }
    int most = chunkBytes(conf, plugin, 1024);
    long outputs = (long) SHARES * Math.max(1, maps);
    long least = Math.min(Math.min(MOST_LEAST_BYTES, most), all / 2 / outputs);
    if (least < LEAST_BYTES) {
      throw tooFew(plugin, all, "to merge " + maps + " outputs");
    }
    return new ShuffleMemory((int) least, most, all - outputs * least);
  }

  /**
   * Reads kvasir.PLUGIN.memory-mb; returns it in bytes.
   *
   * @param normal megabytes when it is not set
   * @param least megabytes that it may be
   */
  public static long bytes(Configuration conf, String plugin, int normal, int least) {
    return (long) Settings.within(conf, memoryName(plugin), normal, least, 1 << 20) << 20;
  }

  /**
   * Reads kvasir.PLUGIN.chunk-kb; returns it in bytes.
   *
   * @param normal kilobytes when it is not set
   */
  public static int chunkBytes(Configuration conf, String plugin, int normal) {
    return Settings.within(conf, "kvasir." + plugin + ".chunk-kb", normal, 1, 1 << 16) << 10;
  }

  /** Returns the error of memory that does not do for what is said. */
  public static IOException tooFew(String plugin, long bytes, String what) {
    return new IOException(memoryName(plugin) + ": " + (bytes >> 20) + " MB are too few " + what);
  }

  private static String memoryName(String plugin) {
    return "kvasir." + plugin + ".memory-mb";
  }

  private static long ofHeap(Configuration conf) {
    float part =
        conf.getFloat(
            MRJobConfig.SHUFFLE_INPUT_BUFFER_PERCENT,
            MRJobConfig.DEFAULT_SHUFFLE_INPUT_BUFFER_PERCENT);
    long heap = Runtime.getRuntime().maxMemory();
    long lasting = HeapOfProcess.lastingPool().map(pool -> pool.getUsage().getMax()).orElse(heap);
    return (long) Math.min(part * heap, OF_LASTING * (lasting > 0 ? lasting : heap));
  }

  /** Returns the bytes that an output can always be given. */
  public int least() {
    return least;
  }

  /** Returns the most bytes that are fetched at a time. */
  public int most() {
    return most;
  }

  /** Returns the bytes that all outputs together may hold beyond their least. */
  public long ahead() {
    return ahead;
  }

  /** Returns the bytes that an output's reader holds. */
  public int readBytes() {
    return Math.min(least, MOST_READ_BYTES);
  }
}
