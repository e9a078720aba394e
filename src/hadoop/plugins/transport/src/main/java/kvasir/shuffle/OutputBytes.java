package kvasir.shuffle;

import java.io.IOException;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * Gives the bytes of a map output, or of several that were merged, from the first to the last. Used
 * by one thread.
 */
public interface OutputBytes {
  /** Returns the map attempt whose output it is, null when it is that of several. */
  TaskAttemptID map();

  /** Returns the bytes of the output as it is stored, its checksum included. */
  long length();

  /** Returns the bytes of the output's records when they are not compressed. */
  long rawLength();

  /**
   * Reads at most {@code count} bytes; returns how many, -1 at the end.
   *
   * @throws FetchFailedException when the rest cannot be had
   */
  int read(byte[] into, int at, int count) throws IOException;

  /** Reads a byte, -1 at the end; throws as the other does. */
  int read() throws IOException;

  /** Gives back the memory that it holds. */
  void close();
}
