package kvasir.homr;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Fills a run: the memory that was granted for it first, then the spill file. Used by one thread.
 */
final class RunWriter extends OutputStream {
  private static final byte[] NONE = {};

  private final Run run;
  private final Pool pool;
  private long granted;
  private long written;
  private byte[] buffer = NONE;
  private int filled;
  private boolean inMemory;

  /** Writes to a run that {@code granted} bytes of memory were reserved for. */
  RunWriter(Run run, long granted) {
    this.run = run;
    this.pool = run.pool();
    this.granted = granted;
  }

  /** Returns the bytes that were written. */
  long written() {
    return written;
  }

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public void write(byte[] from, int start, int count) throws IOException {
    int at = start;
    int left = count;
    while (left > 0) {
      if (filled == buffer.length) {
        put();
        begin();
      }
      int now = Math.min(left, buffer.length - filled);
      System.arraycopy(from, at, buffer, filled, now);
      filled += now;
      written += now;
      at += now;
      left -= now;
    }
  }

  /** Provides an empty buffer. */
  private void begin() {
    if (granted > 0) {
      inMemory = true;
      buffer = new byte[(int) Math.min(granted, pool.memory().most())];
      granted -= buffer.length;
    } else if (inMemory || buffer.length == 0) {
      inMemory = false;
      buffer = new byte[pool.memory().least()];
      pool.hold(buffer.length);
    }
  }

  /** Adds what the buffer holds to the run. */
  private void put() throws IOException {
    if (buffer.length == 0) {
      return;
    }
    if (inMemory) {
      synchronized (pool) {
        run.add(new Part(buffer, filled, buffer.length));
      }
      buffer = NONE;
    } else if (filled > 0) {
      long from = pool.spill(buffer, filled);
      synchronized (pool) {
        run.addSpilled(from, filled);
      }
    }
    filled = 0;
  }

  /** Adds what is left to the run, and gives back the memory that it does not need. */
  @Override
  public void close() throws IOException {
    put();
    abandon();
  }

  /** Gives back the memory that is not the run's. */
  void abandon() {
    long rest = inMemory ? granted + buffer.length : granted;
    pool.release(inMemory ? rest : granted + buffer.length, rest);
    granted = 0;
    buffer = NONE;
    filled = 0;
  }
}
