package kvasir.shuffle;

import java.io.IOException;
import java.nio.ByteBuffer;
import kvasir.transport.Piece;
import org.apache.hadoop.mapred.TaskAttemptID;

/** Gives the bytes of a map output through a window on those that are here. */
public abstract class WindowedOutput implements OutputBytes {
  private static final ByteBuffer NONE = ByteBuffer.allocate(0);
  private static final long WAIT_MS = 1000;

  private final TaskAttemptID map;
  private ByteBuffer window = NONE;
  private long length = -1;
  private long rawLength;

  /** Gives the output of a map attempt, null when it is that of several. */
  protected WindowedOutput(TaskAttemptID map) {
    this.map = map;
  }

  /**
   * Returns the bytes that come next, null at the end; those that it has returned before were read.
   */
  protected abstract ByteBuffer next() throws IOException;

  /** Shows bytes, for the output's beginning. */
  protected final void show(ByteBuffer bytes) {
    window = bytes;
  }

  /** Shows nothing any more. */
  protected final void shut() {
    window = NONE;
  }

  /** Sets what {@link #length} and {@link #rawLength} return from now on. */
  protected final void setLengths(long bytes, long rawBytes) {
    length = bytes;
    rawLength = rawBytes;
  }

  /** Returns whether a piece is of an output of another length. */
  protected final boolean differs(Piece piece) {
    return piece.length() != length || piece.rawLength() != rawLength;
  }

  /** Returns the error of an output whose bytes from {@code from} on cannot be had. */
  protected final FetchFailedException unreadable(long from, IOException reason) {
    return new FetchFailedException(
        this + " cannot be read beyond byte " + from + ": " + reason.getMessage(), reason);
  }

  /** Returns the error of a thread that is told to end while it waits. */
  protected final FetchFailedException interrupted(InterruptedException told) {
    Thread.currentThread().interrupt();
    return new FetchFailedException(this + ": interrupted", told);
  }

  /** Waits for word of {@code monitor}, which the thread holds, but not for long. */
  protected final void pause(Object monitor) throws FetchFailedException {
    try {
      monitor.wait(WAIT_MS);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  @Override
  public final TaskAttemptID map() {
    return map;
  }

  /** Returns the bytes of the output; -1 while they are not known. */
  @Override
  public final long length() {
    return length;
  }

  @Override
  public final long rawLength() {
    return rawLength;
  }

  @Override
  public final int read(byte[] into, int at, int count) throws IOException {
    if (count == 0) {
      return 0;
    }
    if (!advance()) {
      return -1;
    }
    int now = Math.min(count, window.remaining());
    window.get(into, at, now);
    return now;
  }

  @Override
  public final int read() throws IOException {
    return advance() ? window.get() & 0xff : -1;
  }

  /** Provides bytes to read; returns false at the end. */
  private boolean advance() throws IOException {
    while (!window.hasRemaining()) {
      // Who gives bytes may use their memory again when it is asked for more.
      window = NONE;
      ByteBuffer following = next();
      if (following == null) {
        return false;
      }
      window = following;
    }
    return true;
  }
}
