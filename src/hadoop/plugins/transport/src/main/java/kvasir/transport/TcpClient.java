package kvasir.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches map outputs over TCP, with one thread and one connection to each server.
 *
 * <p>Bytes are read from the socket straight into the buffers of those who asked. A failed fetch is
 * not tried again: {@link RetryingClient} does that.
 */
public final class TcpClient implements MapOutputClient {
  private static final Logger LOG = LoggerFactory.getLogger(TcpClient.class);
  private static final int SWEEP_MS = 100;

  private final String job;
  private final byte[] secret;
  private final Settings settings;
  private final Selector selector;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final Map<InetSocketAddress, ClientConnection> connections = new HashMap<>();
  private long swept = System.nanoTime();
  private boolean closed;

  /**
   * Starts a client.
   *
   * @param job such as job_1_0001
   * @param secret what the job's tasks and servers know
   */
  public TcpClient(String job, byte[] secret, Settings settings) throws IOException {
    this.job = job;
    this.secret = secret.clone();
    this.settings = settings;
    this.selector = Selector.open();
    Thread thread = new Thread(this::run, "kvasir-transport-client");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public CompletableFuture<Piece> fetch(
      InetSocketAddress server, MapOutput output, long offset, ByteBuffer into) {
    Fetch fetch = new Fetch(output, offset, into);
    later(() -> start(server, fetch), fetch);
    return fetch.done;
  }

  @Override
  public void close() {
    synchronized (tasks) {
      if (closed) {
        return;
      }
      closed = true;
    }
    selector.wakeup();
  }

  private void later(Runnable task, Fetch fetch) {
    synchronized (tasks) {
      if (closed) {
        fetch.done.completeExceptionally(new IOException("the client is closed"));
        return;
      }
      tasks.add(task);
    }
    selector.wakeup();
  }

  private boolean isClosed() {
    synchronized (tasks) {
      return closed;
    }
  }

  private void run() {
    try {
      while (!isClosed()) {
        turn();
      }
    } catch (IOException | RuntimeException | Error e) {
      // Nobody else would ever tell those who wait.
      LOG.error("the client of {} fails", job, e);
    }
    close();
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
    for (ClientConnection connection : new ArrayList<>(connections.values())) {
      end(connection, new IOException("the client is closed"));
    }
    try {
      selector.close();
    } catch (IOException e) {
      LOG.debug("closing", e);
    }
  }

  private void turn() throws IOException {
    selector.select(SWEEP_MS);
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
    for (SelectionKey key : selector.selectedKeys()) {
      ClientConnection connection = (ClientConnection) key.attachment();
      attend(connection, () -> connection.ready());
    }
    selector.selectedKeys().clear();
    long now = System.nanoTime();
    if (now - swept >= SWEEP_MS * 1_000_000L) {
      swept = now;
      for (ClientConnection connection : new ArrayList<>(connections.values())) {
        attend(connection, () -> connection.checkTime(now));
      }
    }
  }

  private void start(InetSocketAddress server, Fetch fetch) {
    try {
      ClientConnection known = connections.get(server);
      if (known == null) {
        known = new ClientConnection(server, selector, job, secret, settings);
        connections.put(server, known);
      }
      ClientConnection connection = known;
      attend(connection, () -> connection.add(fetch));
    } catch (IOException e) {
      fetch.done.completeExceptionally(e);
    } catch (RuntimeException | Error e) {
      fetch.done.completeExceptionally(new IOException(server + ": " + e, e));
    }
  }

  private void attend(ClientConnection connection, Step step) {
    try {
      step.take();
    } catch (IOException | RuntimeException | Error e) {
      end(connection, e);
    }
  }

  private void end(ClientConnection connection, Throwable reason) {
    connections.remove(connection.server(), connection);
    connection.end(reason);
  }

  /** Part of a connection's work. */
  private interface Step {
    void take() throws IOException;
  }

  /** Fetch that is not done. */
  static final class Fetch {
    final MapOutput output;
    final long offset;
    final ByteBuffer into;
    final int start;
    final int most;
    final CompletableFuture<Piece> done = new CompletableFuture<>();

    Fetch(MapOutput output, long offset, ByteBuffer into) {
      this.output = output;
      this.offset = offset;
      this.into = into;
      this.start = into.position();
      this.most = into.remaining();
    }
  }
}
