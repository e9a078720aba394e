package kvasir.transport;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/** Lends direct buffers of one size, which are used again. Safe for use by several threads. */
public final class Buffers {
  private final int bytes;
  private final int most;
  private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();
  private int made;
  private int lent;
  private int peak;

  /** Lends at most {@code most} buffers of {@code bytes} each at a time. */
  public Buffers(int bytes, int most) {
    this.bytes = bytes;
    this.most = most;
  }

  /**
   * Lends an empty buffer.
   *
   * @throws IllegalStateException when all are lent: who uses the pool must know how many it needs
   */
  public synchronized ByteBuffer take() {
    ByteBuffer buffer = free.poll();
    if (buffer == null) {
      if (made == most) {
        throw new IllegalStateException("all " + most + " buffers are in use");
      }
      buffer = ByteBuffer.allocateDirect(bytes);
      made++;
    }
    lent++;
    peak = Math.max(peak, lent);
    buffer.clear();
    return buffer;
  }

  /** Takes a buffer back. */
  public synchronized void give(ByteBuffer buffer) {
    lent--;
    free.push(buffer);
  }

  /** Returns the bytes of each buffer. */
  public int bytes() {
    return bytes;
  }

  /** Returns the most bytes that were lent at a time. */
  public synchronized long peakBytes() {
    return (long) peak * bytes;
  }
}
