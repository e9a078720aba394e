package kvasir.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves map outputs over TCP, straight from the files.
 *
 * <p>Some threads share the connections. A connection is served a part at a time and only when its
 * client takes what it gets: a slow one holds up nobody.
 */
public final class TcpServer implements MapOutputServer {
  private static final Logger LOG = LoggerFactory.getLogger(TcpServer.class);
  private static final int BACKLOG = 1024;
  private static final int SWEEP_MS = 250;
  private static final int CLOSING_MS = 5_000;

  private final ServerSocketChannel listener;
  private final List<Loop> loops = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean closed;

  /**
   * Starts a server.
   *
   * @param port what to listen on, 0 for any
   * @throws IOException when nobody can listen there
   */
  public TcpServer(int port, Jobs jobs, Outputs outputs, Settings settings) throws IOException {
    listener = ServerSocketChannel.open();
    try {
      listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      listener.bind(new InetSocketAddress(port), BACKLOG);
      listener.configureBlocking(false);
      for (int i = 0; i < settings.serverThreads(); i++) {
        loops.add(new Loop(jobs, outputs, settings));
      }
      listener.register(loops.get(0).selector, SelectionKey.OP_ACCEPT);
    } catch (IOException e) {
      close();
      throw new IOException("cannot serve map outputs on port " + port + ": " + e.getMessage(), e);
    }
    for (int i = 0; i < loops.size(); i++) {
      Thread thread = new Thread(loops.get(i), "kvasir-transport-server-" + i);
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
  }

  @Override
  public int port() {
    return listener.socket().getLocalPort();
  }

  @Override
  public void forget(String job) {
    for (Loop loop : loops) {
      loop.later(() -> loop.forget(job));
    }
  }

  @Override
  public void close() {
    closed = true;
    quietly(listener);
    for (Loop loop : loops) {
      loop.selector.wakeup();
    }
    // A thread may be in the middle of an answer: who asks after this call must not get another
    // one.
    try {
      for (Thread thread : threads) {
        thread.join(CLOSING_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void quietly(AutoCloseable open) {
    try {
      open.close();
    } catch (Exception e) {
      LOG.debug("closing", e);
    }
  }

  /** Serves a part of the connections in a thread. */
  private final class Loop implements Runnable {
    private final Selector selector = Selector.open();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Jobs jobs;
    private final Outputs outputs;
    private final Settings settings;
    private long swept = System.nanoTime();
    private int next;

    Loop(Jobs jobs, Outputs outputs, Settings settings) throws IOException {
      this.jobs = jobs;
      this.outputs = outputs;
      this.settings = settings;
    }

    void later(Runnable task) {
      tasks.add(task);
      selector.wakeup();
    }

    @Override
    public void run() {
      while (!closed) {
        try {
          turn();
        } catch (IOException | RuntimeException | Error e) {
          LOG.warn("serving map outputs", e);
        }
      }
      for (SelectionKey key : selector.keys()) {
        quietly(key.channel());
      }
      quietly(selector);
    }

    private void turn() throws IOException {
      selector.select(SWEEP_MS);
      for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
        task.run();
      }
      for (SelectionKey key : selector.selectedKeys()) {
        if (key.attachment() == null) {
          accept();
        } else {
          ServerConnection connection = (ServerConnection) key.attachment();
          attend(connection, () -> connection.ready(key));
        }
      }
      selector.selectedKeys().clear();
      long now = System.nanoTime();
      if (now - swept >= SWEEP_MS * 1_000_000L) {
        swept = now;
        for (ServerConnection connection : connections()) {
          attend(connection, () -> connection.checkTime(now));
        }
      }
    }

    private void accept() {
      try {
        for (SocketChannel found = listener.accept(); found != null; found = listener.accept()) {
          SocketChannel channel = found;
          Loop loop = loops.get(next++ % loops.size());
          loop.later(() -> loop.add(channel));
        }
      } catch (IOException e) {
        if (!closed) {
          LOG.warn("a connection could not be accepted", e);
          pause();
        }
      }
    }

    /** Waits a moment: without file descriptors left, the next try fails as well. */
    private void pause() {
      try {
        Thread.sleep(SWEEP_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private void add(SocketChannel channel) {
      try {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
        key.attach(new ServerConnection(channel, jobs, outputs, settings));
      } catch (IOException e) {
        LOG.debug("a connection ended before it was served", e);
        quietly(channel);
      }
    }

    private void forget(String job) {
      for (ServerConnection connection : connections()) {
        if (connection.isOf(job)) {
          connection.end("the job is over");
        }
      }
    }

    private List<ServerConnection> connections() {
      List<ServerConnection> found = new ArrayList<>();
      for (SelectionKey key : selector.keys()) {
        if (key.attachment() != null) {
          found.add((ServerConnection) key.attachment());
        }
      }
      return found;
    }

    /** Does something for a connection; whatever goes wrong ends only that one. */
    private void attend(ServerConnection connection, Step step) {
      try {
        step.take();
      } catch (IOException | RuntimeException | Error e) {
        connection.end(e.toString());
      }
    }
  }

  /** Part of a connection's work. */
  private interface Step {
    void take() throws IOException;
  }
}
