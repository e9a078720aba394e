package kvasir.transport;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;

/** Finds map outputs on a server. Safe for use by several threads. */
public interface Outputs {
  /** Locates an output in a file. */
  final class Range {
    private final long start;
    private final long length;
    private final long rawLength;

    /** Locates an output: first byte in the file, bytes there, bytes of its records. */
    public Range(long start, long length, long rawLength) {
      this.start = start;
      this.length = length;
      this.rawLength = rawLength;
    }

    public long start() {
      return start;
    }

    public long length() {
      return length;
    }

    public long rawLength() {
      return rawLength;
    }
  }

  /**
   * Returns where a reduce's part of a map output lies in the file that {@link #open} opens.
   *
   * @throws RefusedException when the job has no such output here
   * @throws IOException when it cannot be read
   */
  Range find(Jobs.Job job, MapOutput output) throws IOException;

  /** Gives bytes of a file of map outputs. Used by one thread. */
  interface Source extends Closeable {
    /** Returns the bytes of the whole file. */
    long size() throws IOException;

    /**
     * Writes at most {@code count} bytes from {@code at} on to a channel; returns how many it took.
     */
    long transferTo(long at, long count, WritableByteChannel to) throws IOException;

    /** Reads straight from a file, which it closes. */
    static Source of(FileChannel file) {
      return new Source() {
        @Override
        public long size() throws IOException {
          return file.size();
        }

        @Override
        public long transferTo(long at, long count, WritableByteChannel to) throws IOException {
          return file.transferTo(at, count, to);
        }

        @Override
        public void close() throws IOException {
          file.close();
        }
      };
    }
  }

  /**
   * Opens the file of a map output; the caller closes it.
   *
   * @throws IOException when it cannot be read
   */
  Source open(Jobs.Job job, MapOutput output) throws IOException;

  /** Drops what is remembered of a job. */
  void forget(String job);
}
