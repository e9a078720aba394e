package kvasir.rdma;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import kvasir.shuffle.FetchFailedException;
import kvasir.shuffle.WindowedOutput;
import kvasir.transport.MapOutput;
import kvasir.transport.MapOutputClient;
import kvasir.transport.Piece;
import kvasir.transport.RetryingClient;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.util.Progressable;

/**
 * Fetches a map output as far ahead as the guard allows, while it is read and before.
 *
 * <p>It is read, moved to the disk and closed by one thread; what it fetches arrives in the
 * client's. Everything that both use is guarded by the guard's monitor.
 */
final class Inflow extends WindowedOutput {
  private final InetSocketAddress server;
  private final MapOutput output;
  private final Clients clients;
  private final Guard guard;
  private final Progressable progress;
  private final Counters.Counter shuffled;

  /** What has come and is not being read, in the output's order. */
  private final ArrayDeque<Part> parts = new ArrayDeque<>();

  private long fetched;
  private int last;
  private boolean asking;
  private boolean ended;
  private boolean closed;
  private IOException failure;

  /** What is being read: a part, or a window on one that is on the disk. */
  private Part current;

  private byte[] bytes = new byte[0];
  private int onDisk;

  Inflow(
      TaskAttemptID map,
      InetSocketAddress server,
      MapOutput output,
      Clients clients,
      Guard guard,
      Progressable progress,
      Counters.Counter shuffled) {
    super(map);
    this.server = server;
    this.output = output;
    this.clients = clients;
    this.guard = guard;
    this.progress = progress;
    this.shuffled = shuffled;
    this.last = guard.memory().least() / 2;
  }

  /** Starts to fetch. */
  void start() {
    synchronized (guard) {
      guard.opened(this);
      fetchNext();
    }
  }

  /** Returns whether nothing is left to fetch. */
  boolean isComplete() {
    synchronized (guard) {
      return fetched == length();
    }
  }

  /** Returns whether its first bytes have come. */
  boolean hasBegun() {
    synchronized (guard) {
      return length() >= 0;
    }
  }

  /** Returns why it has failed, null when it has not. */
  IOException failure() {
    synchronized (guard) {
      return failure;
    }
  }

  /** Asks for what comes next; returns false when it has to wait for memory. */
  boolean fetchNext() {
    synchronized (guard) {
      if (asking || ended || guard.isStopped()) {
        return true;
      }
      long rest = length() < 0 ? guard.memory().least() : length() - fetched;
      int size = guard.size(last, rest);
      int charged = size;
      if (!guard.take(size)) {
        if (!parts.isEmpty()) {
          guard.later(this);
          return false;
        }
        size = (int) Math.min(rest, guard.memory().least());
        charged = 0;
        guard.hold(size);
      }
      last = size;
      byte[] into = guard.allocate(size, charged);
      if (into != null) {
        asking = true;
        ask(into, charged);
      } else if (!parts.isEmpty()) {
        guard.later(this);
        return false;
      } else {
        fail(new IOException("the heap has no room for " + size + " bytes"));
      }
      return true;
    }
  }

  private void ask(byte[] into, int charged) {
    MapOutputClient client = length() < 0 ? clients.once : clients.retrying;
    client
        .fetch(server, output, fetched, ByteBuffer.wrap(into))
        .whenComplete((piece, problem) -> arrived(into, charged, piece, problem));
  }

  private void arrived(byte[] into, int charged, Piece piece, Throwable problem) {
    synchronized (guard) {
      asking = false;
      if (closed) {
        guard.release(into.length, charged);
        return;
      }
      IOException wrong = problem == null ? null : RetryingClient.reason(problem);
      if (wrong == null && length() >= 0 && differs(piece)) {
        wrong = new IOException("it has changed its length");
      }
      if (wrong != null) {
        fail(wrong);
        guard.release(into.length, charged);
        return;
      }
      boolean first = length() < 0;
      setLengths(piece.length(), piece.rawLength());
      add(into, charged, piece.bytes().remaining());
      if (fetched == length()) {
        end();
      }
      fetchNext();
      if (first) {
        guard.tell(this);
      } else {
        guard.notifyAll();
      }
    }
  }

  private void fail(IOException reason) {
    failure = reason;
    end();
    guard.tell(this);
  }

  private void add(byte[] into, int charged, int count) {
    shuffled.increment(count);
    fetched += count;
    if (count > into.length / 2) {
      parts.add(new Part(into, count, charged));
      return;
    }
    int ahead = Math.min(charged, count);
    parts.add(new Part(Arrays.copyOf(into, count), count, ahead));
    guard.release(into.length - count, charged - ahead);
  }

  private void end() {
    if (!ended) {
      ended = true;
      guard.complete();
    }
  }

  /** Returns the bytes that count as fetched ahead. */
  long inMemory() {
    long found = 0;
    for (Part part : parts) {
      found += part.bytes == null ? 0 : part.charged;
    }
    return found;
  }

  /** Adds the parts that can be moved to the disk: that which is read next, or all others. */
  void addMovable(List<Part> found, boolean next) {
    for (Part part : parts) {
      if (next == (part == parts.peek()) && part.bytes != null && part.charged > 0) {
        found.add(part);
      }
    }
  }

  @Override
  protected ByteBuffer next() throws IOException {
    if (onDisk > 0) {
      return readOn();
    }
    leave();
    guard.checkHeap();
    current = await();
    if (current == null) {
      return null;
    }
    if (current.bytes != null) {
      bytes = current.bytes;
      return ByteBuffer.wrap(bytes, 0, current.length);
    }
    bytes = new byte[Math.min(current.length, guard.memory().least())];
    guard.hold(bytes.length);
    onDisk = current.length;
    return readOn();
  }

  /** Reads the next bytes of a part on the disk. */
  private ByteBuffer readOn() throws IOException {
    int count = Math.min(onDisk, bytes.length);
    try {
      guard.spill().read(current.position + current.length - onDisk, bytes, 0, count);
    } catch (IOException e) {
      // Not the map's fault.
      throw new FetchFailedException(this + " cannot be read again from the disk here: " + e, e);
    }
    onDisk -= count;
    return ByteBuffer.wrap(bytes, 0, count);
  }

  /** Gives back what has been read. */
  private void leave() {
    if (current != null) {
      guard.release(bytes.length, current.bytes == null ? 0 : current.charged);
      current = null;
      bytes = new byte[0];
    }
  }

  /** Returns the next part when it is there, null when there is none. */
  private Part await() throws IOException {
    synchronized (guard) {
      while (parts.isEmpty()) {
        if (failure != null) {
          throw unreadable(fetched, failure);
        }
        if (fetched == length()) {
          return null;
        }
        fetchNext();
        if (parts.isEmpty() && failure == null) {
          pause(guard);
          progress.progress();
        }
      }
      Part next = parts.remove();
      fetchNext();
      return next;
    }
  }

  @Override
  public void close() {
    shut();
    leave();
    onDisk = 0;
    synchronized (guard) {
      if (closed) {
        return;
      }
      closed = true;
      end();
      guard.closed(this);
      for (Part part : parts) {
        if (part.bytes != null) {
          guard.release(part.bytes.length, part.charged);
        }
      }
      parts.clear();
    }
  }

  @Override
  public String toString() {
    return "map output " + map() + " on " + server;
  }
}
