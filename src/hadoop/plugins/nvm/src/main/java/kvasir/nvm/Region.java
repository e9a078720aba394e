package kvasir.nvm;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Memory that grows at its end: a file of tmpfs or persistent memory, mapped window by window, as
 * one mapping of Java has 2 GiB at most. The file has no name from the start, so nothing of it
 * outlives the process, however that ends. One thread appends; what is appended may be read by
 * others afterwards.
 */
final class Region implements Closeable {
  /** Bytes that are claimed from the file system at a time. */
  private static final int STEP = 4 << 20;

  private final Path folder;
  private final int window;
  private final long capacity;
  private final FileChannel file;
  private final List<MappedByteBuffer> windows = new ArrayList<>();
  private final ByteBuffer zeros;
  private ByteBuffer last;
  private long claimed;
  private long length;

  /**
   * Makes an empty region in a folder.
   *
   * @param window bytes of a mapping, a power of two
   * @param capacity most bytes that it may hold; 0 for what the file system has
   */
  Region(Path folder, int window, long capacity) throws IOException {
    if (Integer.bitCount(window) != 1) {
      throw new IllegalArgumentException("no power of two: " + window);
    }
    this.folder = folder;
    this.window = window;
    this.capacity = capacity;
    zeros = ByteBuffer.allocateDirect(Math.min(STEP, 1 << 18));
    if (!Files.isDirectory(folder)) {
      throw new IOException(
          NvmSettings.DIR + ": found no folder " + folder + " for spills: name one in memory");
    }
    // Java removes the name of such a file as soon as it is open, not when it is closed.
    file =
        FileChannel.open(
            folder.resolve("kvasir-nvm-" + UUID.randomUUID()),
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE);
  }

  /** Returns the bytes appended. */
  long length() {
    return length;
  }

  /** Appends bytes; raises IOException when the region is full. */
  void append(byte[] bytes, int offset, int count) throws IOException {
    if (capacity > 0 && length + count > capacity) {
      throw full(length + count, NvmSettings.CAPACITY + " allows " + capacity, null);
    }
    if (length + count > claimed) {
      claim(length + count);
    }
    int done = 0;
    while (done < count) {
      int within = (int) (length & (window - 1));
      if (within == 0) {
        last = windows.get((int) (length / window)).duplicate();
      }
      int part = Math.min(count - done, window - within);
      last.put(bytes, offset + done, part);
      done += part;
      length += part;
    }
  }

  /** Copies what was appended from a position on. */
  void read(long position, byte[] bytes, int offset, int count) {
    if (position < 0 || position + count > length) {
      throw new IndexOutOfBoundsException(position + " + " + count + " of " + length);
    }
    int done = 0;
    while (done < count) {
      long from = position + done;
      ByteBuffer view = windows.get((int) (from / window)).duplicate();
      int within = (int) (from & (window - 1));
      int part = Math.min(count - done, window - within);
      view.position(within);
      view.get(bytes, offset + done, part);
      done += part;
    }
  }

  /**
   * Sees to it that the file system has the pages. A store to a mapped page that it has no room for
   * would kill the process, a write of zeros says that there is none.
   */
  private void claim(long least) throws IOException {
    while (claimed < least) {
      long upTo = Math.min(claimed + Math.min(STEP, window), (claimed / window + 1) * window);
      try {
        while (claimed < upTo) {
          zeros.clear();
          zeros.limit((int) Math.min(zeros.capacity(), upTo - claimed));
          claimed += file.write(zeros, claimed);
        }
      } catch (IOException e) {
        throw full(least, e.getMessage(), e);
      }
      if ((claimed - 1) / window >= windows.size()) {
        windows.add(
            file.map(FileChannel.MapMode.READ_WRITE, (long) windows.size() * window, window));
      }
    }
  }

  private IOException full(long least, String reason, IOException cause) {
    String message =
        String.format(
            "the region for spills in %s is full: it holds %d bytes and needs %d: %s",
            folder, length, least, reason);
    return new IOException(message, cause);
  }

  /** Gives the memory back; the region must not be used any more. */
  @Override
  public void close() throws IOException {
    windows.clear();
    last = null;
    if (file.isOpen()) {
      // Mappings go when Java collects them; their pages need not wait for that.
      file.truncate(0);
      file.close();
    }
  }
}
