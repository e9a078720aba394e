package kvasir.homr;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import kvasir.shuffle.WindowedOutput;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * Holds bytes that are read once, from the first to the last, in memory and in the spill file.
 *
 * <p>One thread reads and closes it; others add to it, and move bytes to the disk. What they share
 * is guarded by the pool's monitor.
 */
abstract class Held extends WindowedOutput {
  private static final byte[] NONE = {};

  private final Pool pool;

  /** What is not being read, in the order of the bytes. */
  private final ArrayDeque<Part> parts = new ArrayDeque<>();

  private long unread;
  private boolean closed;

  /** What is being read: a part, or a window on one that is on the disk. */
  private byte[] bytes = NONE;

  private int charged;
  private long position;
  private int onDisk;

  /** Holds the output of a map attempt, null when it is that of several. */
  Held(TaskAttemptID map, Pool pool) {
    super(map);
    this.pool = pool;
  }

  final Pool pool() {
    return pool;
  }

  /**
   * Waits until a part may have come; returns false when none will, since all were read. Called
   * with the pool's monitor.
   */
  abstract boolean waitForPart() throws IOException;

  /** Adds bytes. Called with the pool's monitor. */
  final void add(Part part) {
    unread += part.length();
    parts.add(part);
  }

  /** Adds bytes that are in the spill file. Called with the pool's monitor. */
  final void addSpilled(long from, int count) {
    Part last = parts.peekLast();
    if (last != null && last.extend(from, count)) {
      unread += count;
    } else {
      add(new Part(from, count));
    }
  }

  /** Returns how many bytes are here that nobody reads yet. Called with the pool's monitor. */
  final long unread() {
    return unread;
  }

  /** Returns the bytes that are in memory and would make room. Called with the pool's monitor. */
  final long inMemory() {
    return parts.stream().mapToLong(Part::charged).sum();
  }

  /** Returns whether nothing more will be read. Called with the pool's monitor. */
  final boolean isClosed() {
    return closed;
  }

  /**
   * Moves bytes to the disk until there is room for so many others, but not those that are read
   * next; returns how many it has made room for. Called with the pool's monitor.
   */
  final long park(long most) throws IOException {
    long moved = 0;
    for (Part part : parts) {
      if (moved >= most) {
        break;
      }
      int room = part.charged();
      if (part != parts.peek() && room > 0) {
        int size = part.bytes().length;
        part.moved(pool.spill(part.bytes(), part.length()));
        pool.release(size, room);
        moved += room;
      }
    }
    return moved;
  }

  /** Returns a stream of all bytes that are here, which stay. Nothing may be added or read. */
  final InputStream stored() {
    synchronized (pool) {
      return new Stored(new ArrayList<>(parts));
    }
  }

  @Override
  protected final ByteBuffer next() throws IOException {
    if (onDisk > 0) {
      return readSpilled();
    }
    leave();
    pool.checkHeap();
    Part part = take();
    if (part == null) {
      return null;
    }
    return onDisk > 0 ? readSpilled() : ByteBuffer.wrap(bytes, 0, part.length());
  }

  /** Takes the next part when it is there, to read it; returns null when there is none. */
  private Part take() throws IOException {
    synchronized (pool) {
      while (parts.isEmpty()) {
        if (!waitForPart()) {
          return null;
        }
      }
      Part part = parts.remove();
      unread -= part.length();
      if (part.bytes() != null) {
        bytes = part.bytes();
        charged = part.charged();
      } else {
        bytes = new byte[Math.min(part.length(), pool.memory().least())];
        pool.hold(bytes.length);
        position = part.position();
        onDisk = part.length();
      }
      pool.plan();
      return part;
    }
  }

  /** Reads the next bytes of a part on the disk. */
  private ByteBuffer readSpilled() throws IOException {
    int count = Math.min(onDisk, bytes.length);
    pool.unspill(position, bytes, 0, count);
    position += count;
    onDisk -= count;
    return ByteBuffer.wrap(bytes, 0, count);
  }

  /** Gives back what has been read. */
  private void leave() {
    pool.release(bytes.length, charged);
    bytes = NONE;
    charged = 0;
  }

  /** Gives back all memory; nothing more can be read. */
  @Override
  public void close() {
    shut();
    leave();
    onDisk = 0;
    synchronized (pool) {
      if (closed) {
        return;
      }
      closed = true;
      for (Part part : parts) {
        if (part.bytes() != null) {
          pool.release(part.bytes().length, part.charged());
        }
      }
      parts.clear();
      unread = 0;
      pool.closed(this);
      pool.plan();
    }
  }

  /** Reads parts that stay. */
  private final class Stored extends InputStream {
    private final List<Part> left;
    private int done;

    Stored(List<Part> parts) {
      this.left = parts;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int from, int count) throws IOException {
      if (left.isEmpty()) {
        return -1;
      }
      byte[] found;
      long where;
      Part part = left.get(0);
      synchronized (pool) {
        found = part.bytes();
        where = part.position();
      }
      int now = Math.min(count, part.length() - done);
      if (found != null) {
        System.arraycopy(found, done, into, from, now);
      } else {
        pool.unspill(where + done, into, from, now);
      }
      done += now;
      if (done == part.length()) {
        left.remove(0);
        done = 0;
      }
      return now;
    }
  }
}
