package kvasir.nvm;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * The emulated device of a host, which all tasks on it share: how fast the host's DRAM is, measured
 * once, and until when the device is busy. It is a file of a page in the memory for spills, and
 * stays there for the host's next tasks.
 */
final class DeviceState implements Closeable {
  private static final int BUSY = 0;
  private static final int DRAM = 8;
  private static final int SIZE = 16;

  /**
   * More than this the device is never behind: such a time is left from before the host was
   * started.
   */
  private static final long STALE_NS = 60_000_000_000L;

  /** Locks of a file are the process's; this one keeps its threads apart. */
  private static final Object THREADS = new Object();

  private final FileChannel file;
  private final MappedByteBuffer state;

  DeviceState(Path folder) throws IOException {
    file =
        FileChannel.open(
            folder.resolve("kvasir-nvm-" + System.getProperty("user.name") + ".device"),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS);
    synchronized (THREADS) {
      FileLock lock = file.lock();
      try {
        if (file.size() < SIZE) {
          // Not by mapping alone: a full file system says so here.
          file.write(ByteBuffer.allocate(SIZE), 0);
        }
      } finally {
        lock.release();
      }
    }
    state = file.map(FileChannel.MapMode.READ_WRITE, 0, SIZE);
  }

  /**
   * Books the device for a time, after those of others.
   *
   * @param earliest when it may begin, as of System.nanoTime()
   * @param service how long it takes, nanoseconds
   * @return when it ends
   */
  long reserve(long earliest, long service) throws IOException {
    synchronized (THREADS) {
      FileLock lock = file.lock();
      try {
        long busy = state.getLong(BUSY);
        boolean behind = busy - earliest > 0 && busy - earliest < STALE_NS;
        long end = (behind ? busy : earliest) + service;
        state.putLong(BUSY, end);
        return end;
      } finally {
        lock.release();
      }
    }
  }

  /**
   * Returns the time of a write to this host's DRAM, nanoseconds a byte; the first task measures
   * it.
   */
  double dram() throws IOException {
    synchronized (THREADS) {
      FileLock lock = file.lock();
      try {
        double known = state.getDouble(DRAM);
        if (known > 0) {
          return known;
        }
        double measured = measure();
        state.putDouble(DRAM, measured);
        return measured;
      } finally {
        lock.release();
      }
    }
  }

  /**
   * Returns the median time of copies from Java's heap into memory that no cache holds, nanoseconds
   * a byte.
   */
  static double measure() {
    int block = 64 << 10;
    int blocks = 1024;
    byte[] source = new byte[block];
    Arrays.fill(source, (byte) 1);
    ByteBuffer memory = ByteBuffer.allocateDirect(block * blocks);
    long[] times = new long[2 * blocks];
    for (int i = 0; i < times.length; i++) {
      if (i % blocks == 0) {
        memory.clear();
      }
      long start = System.nanoTime();
      memory.put(source);
      times[i] = System.nanoTime() - start;
    }
    Arrays.sort(times);
    return (double) times[times.length / 2] / block;
  }

  @Override
  public void close() throws IOException {
    // It would take away a lock that another thread of the process holds.
    synchronized (THREADS) {
      file.close();
    }
  }
}
