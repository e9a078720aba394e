package kvasir.homr;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import kvasir.transport.MapOutput;
import kvasir.transport.MapOutputClient;
import kvasir.transport.Piece;
import kvasir.transport.RetryingClient;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * Holds a map output that arrives, while it is read and before, as far ahead as the pool allows.
 *
 * <p>What it fetches arrives in the client's thread.
 */
final class Incoming extends Held {
  /** Hears of an output, in any thread; must not wait. */
  interface Listener {
    /** The first bytes are here. */
    void begun(Incoming output);

    /** All of it is here. */
    void whole(Incoming output);

    /** It will not become whole. */
    void failed(Incoming output, IOException reason);

    /** Bytes have come. */
    void arrived(int bytes);

    /** The merge waits. */
    void waiting();
  }

  private final InetSocketAddress server;
  private final MapOutput output;
  private final MapOutputClient once;
  private final MapOutputClient retrying;
  private final Listener listener;
  private long fetched;
  private int coming;
  private int paid;
  private boolean asking;
  private boolean admitted;
  private IOException failure;

  /**
   * Describes an output.
   *
   * @param once gets its first bytes: whoever hears of a failure decides what it means
   * @param retrying gets the others
   */
  Incoming(
      TaskAttemptID map,
      InetSocketAddress server,
      MapOutput output,
      MapOutputClient once,
      MapOutputClient retrying,
      Pool pool,
      Listener listener) {
    super(map, pool);
    this.server = server;
    this.output = output;
    this.once = once;
    this.retrying = retrying;
    this.listener = listener;
  }

  /** Starts to fetch. */
  void start() {
    synchronized (pool()) {
      pool().opened(this);
      pool().plan();
    }
  }

  /** Returns the number of its map. */
  int number() {
    return map().getTaskID().getId();
  }

  /** Returns whether all of it is here. */
  boolean isWhole() {
    synchronized (pool()) {
      return fetched == length();
    }
  }

  /** Returns whether bytes are awaited that take memory beyond its least. With the monitor. */
  boolean isPaidFor() {
    return paid > 0;
  }

  /** Describes what could be fetched. With the monitor. */
  Wish wish() {
    if (length() < 0) {
      return Wish.ofHead(number(), server, asking);
    }
    return Wish.ofRest(
        number(),
        server,
        pool().rates().of(server),
        length() - fetched - coming,
        unread() + coming,
        asking,
        admitted);
  }

  /** Hears that there will be memory for all of it. With the monitor. */
  void admit() {
    admitted = true;
  }

  /** Asks for the next bytes, of which some count as fetched ahead. With the monitor. */
  void ask(byte[] into, int charged) {
    asking = true;
    coming = length() < 0 ? 0 : into.length;
    paid = charged;
    pool().rates().asked(server, System.nanoTime());
    MapOutputClient client = length() < 0 ? once : retrying;
    client
        .fetch(server, output, fetched, ByteBuffer.wrap(into))
        .whenComplete((piece, problem) -> arrived(into, charged, piece, problem));
  }

  private void arrived(byte[] into, int charged, Piece piece, Throwable problem) {
    synchronized (pool()) {
      asking = false;
      coming = 0;
      paid = 0;
      int count = problem == null ? piece.bytes().remaining() : 0;
      pool().rates().answered(server, count, System.nanoTime());
      if (isClosed() || pool().isStopped()) {
        pool().release(into.length, charged);
      } else if (problem != null) {
        pool().release(into.length, charged);
        fail(RetryingClient.reason(problem));
      } else if (length() >= 0 && differs(piece)) {
        pool().release(into.length, charged);
        fail(new IOException("it has changed its length"));
      } else {
        take(into, charged, piece);
      }
      pool().plan();
      pool().notifyAll();
    }
  }

  private void take(byte[] into, int charged, Piece piece) {
    boolean first = length() < 0;
    int count = piece.bytes().remaining();
    setLengths(piece.length(), piece.rawLength());
    fetched += count;
    listener.arrived(count);
    if (count > into.length / 2) {
      add(new Part(into, count, charged));
    } else {
      int ahead = Math.min(charged, count);
      add(new Part(Arrays.copyOf(into, count), count, ahead));
      pool().release(into.length - count, charged - ahead);
    }
    if (first) {
      listener.begun(this);
    }
    if (fetched == length()) {
      pool().ended(this);
      listener.whole(this);
    }
  }

  /** Gives up: the rest cannot be had. With the monitor. */
  void fail(IOException reason) {
    failure = reason;
    pool().ended(this);
    pool().notifyAll();
    listener.failed(this, reason);
  }

  @Override
  boolean waitForPart() throws IOException {
    if (failure != null) {
      throw unreadable(fetched, failure);
    }
    if (isClosed()) {
      throw new IOException(this + " has been closed");
    }
    if (fetched == length()) {
      return false;
    }
    pool().plan();
    if (unread() == 0 && failure == null) {
      pause(pool());
      listener.waiting();
    }
    return true;
  }

  @Override
  public String toString() {
    return "map output " + map() + " on " + server;
  }
}
