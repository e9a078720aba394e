package kvasir.levitated;

import java.io.IOException;
import kvasir.shuffle.ShuffleMemory;
import org.apache.hadoop.conf.Configuration;

/** Divides the memory of a reduce task's heads among its map outputs, in chunks of one size. */
final class Memory {
  private final int chunkBytes;
  private final int ahead;

  /**
   * Divides the memory that {@code conf} allows.
   *
   * @throws IOException when it is too little for so many outputs
   */
  Memory(Configuration conf, int maps) throws IOException {
    long all = bytes(conf);
    int largest = ShuffleMemory.chunkBytes(conf, "levitated", 256);
    long share = all / Math.max(1, maps);
    if (share < ShuffleMemory.SHARES * ShuffleMemory.LEAST_BYTES) {
      throw ShuffleMemory.tooFew("levitated", all, "for the heads of " + maps + " outputs");
    }
    chunkBytes = (int) Math.min(largest, share / ShuffleMemory.SHARES);
    ahead = (int) ((share - readBytes()) / chunkBytes) - 1;
  }

  /** Returns the bytes that all heads may take. */
  static long bytes(Configuration conf) {
    return ShuffleMemory.bytes(conf, "levitated", 32, 1);
  }

  /** Returns the bytes that are fetched of an output at a time. */
  int chunkBytes() {
    return chunkBytes;
  }

  /** Returns the chunks of an output that may wait to be merged, 1 at least. */
  int ahead() {
    return ahead;
  }

  /** Returns the bytes that an output's reader holds. */
  int readBytes() {
    return Math.min(chunkBytes, ShuffleMemory.MOST_READ_BYTES);
  }
}
