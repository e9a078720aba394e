package kvasir.ucx;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpAmRecvCallback;
import org.openucx.jucx.ucp.UcpConstants;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives a worker of UCX in a thread of its own: whatever has to do with UCX happens there.
 *
 * <p>The thread sleeps until UCX has something to do, or a task or the clock wakes it up.
 */
final class Loop implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(Loop.class);
  private static final int SWEEP_MS = 100;
  private static final int PATIENCE_MS = 5_000;

  /** Longest head of a message that is sent. */
  private static final int HEAD_BYTES = 2048;

  /** How often a worker that ends is asked whether it is done with what is left. */
  private static final int LAST_TURNS = 10_000;

  private final UcpContext context;
  private final UcpWorker worker;
  private final Thread thread;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final ArrayDeque<ByteBuffer> heads = new ArrayDeque<>();
  private final ScheduledExecutorService clock;
  private Runnable sweep;
  private Runnable last;
  private boolean closed;

  /** Makes a worker, whose thread has this name once it runs. */
  Loop(String name) throws IOException {
    try {
      context = new UcpContext(new UcpParams().requestAmFeature().requestWakeupFeature());
    } catch (UcxException e) {
      throw new IOException("UCX finds no network: " + e.getMessage(), e);
    }
    try {
      worker = context.newWorker(new UcpWorkerParams());
    } catch (UcxException e) {
      context.close();
      throw new IOException("UCX makes no worker: " + e.getMessage(), e);
    }
    thread = daemon(this::run, name);
    clock = Executors.newSingleThreadScheduledExecutor(task -> daemon(task, name + "-clock"));
  }

  private static Thread daemon(Runnable task, String name) {
    Thread made = new Thread(task, name);
    made.setDaemon(true);
    return made;
  }

  /** Returns the worker, for the thread of the loop; before it runs, for who starts it. */
  UcpWorker worker() {
    return worker;
  }

  /** Has messages of a number taken. */
  void receive(int number, UcpAmRecvCallback taker) {
    worker.setAmRecvHandler(number, taker);
  }

  /**
   * Starts the thread.
   *
   * @param sweep is done now and then
   * @param last is done at the end, before the worker is closed
   */
  void start(Runnable sweep, Runnable last) {
    this.sweep = sweep;
    this.last = last;
    thread.start();
    clock.scheduleWithFixedDelay(
        () -> later(this::sweep), SWEEP_MS, SWEEP_MS, TimeUnit.MILLISECONDS);
  }

  /** Has a task done in the thread; returns false when there is none any more. */
  boolean later(Runnable task) {
    synchronized (tasks) {
      if (closed) {
        return false;
      }
      tasks.add(task);
      worker.signal();
      return true;
    }
  }

  @Override
  public void close() {
    synchronized (tasks) {
      if (closed) {
        return;
      }
      closed = true;
      worker.signal();
    }
    clock.shutdownNow();
    if (sweep == null) {
      // It was never started.
      end();
    }
  }

  /** Waits a while for the end of the thread, so that what it listened on is free again. */
  void join() {
    if (Thread.currentThread() == thread) {
      return;
    }
    try {
      thread.join(PATIENCE_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isClosed() {
    synchronized (tasks) {
      return closed;
    }
  }

  private void run() {
    try {
      while (!isClosed()) {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
          quietly(task);
        }
        if (!progress() && tasks.isEmpty() && !isClosed()) {
          worker.waitForEvents();
        }
      }
    } catch (RuntimeException | Error e) {
      // Nothing is received any more: all that is under way ends now, and what comes is refused.
      LOG.error("map outputs over UCX end", e);
      synchronized (tasks) {
        closed = true;
      }
      clock.shutdownNow();
    }
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      quietly(task);
    }
    quietly(last);
    end();
  }

  private void sweep() {
    sweep.run();
  }

  private static void quietly(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.warn("map outputs over UCX", e);
    }
  }

  private boolean progress() {
    try {
      return worker.progress() > 0;
    } catch (Exception | Error e) {
      LOG.warn("map outputs over UCX", e);
      return true;
    }
  }

  private void end() {
    for (int i = 0; i < LAST_TURNS && progress(); i++) {
      // What is closed says so to the other side.
    }
    worker.close();
    context.close();
  }

  /**
   * Sends a message. Used by the thread.
   *
   * @param payload direct bytes after the head, null for none; they belong to UCX until {@code
   *     done} is told an empty text, or what went wrong
   */
  void send(
      UcpEndpoint to,
      int number,
      boolean answerable,
      ByteBuffer head,
      ByteBuffer payload,
      Consumer<String> done) {
    ByteBuffer bytes = heads.isEmpty() ? ByteBuffer.allocateDirect(HEAD_BYTES) : heads.pop();
    bytes.clear();
    bytes.put(head).flip();
    long at = payload == null ? 0 : UcxUtils.getAddress(payload) + payload.position();
    Sent sent = new Sent(bytes, payload, done);
    try {
      to.sendAmNonBlocking(
          number,
          UcxUtils.getAddress(bytes),
          bytes.remaining(),
          at,
          payload == null ? 0 : payload.remaining(),
          answerable ? UcpConstants.UCP_AM_SEND_FLAG_REPLY : 0,
          sent);
    } catch (UcxException e) {
      sent.end(String.valueOf(e.getMessage()));
    }
  }

  /** Gives back what a message was sent from. It holds the bytes until then. */
  private final class Sent extends UcxCallback {
    private final ByteBuffer head;
    private ByteBuffer payload;
    private Consumer<String> done;

    Sent(ByteBuffer head, ByteBuffer payload, Consumer<String> done) {
      this.head = head;
      this.payload = payload;
      this.done = done;
    }

    @Override
    public void onSuccess(UcpRequest request) {
      end("");
    }

    @Override
    public void onError(int status, String message) {
      end(message == null || message.isEmpty() ? "status " + status : message);
    }

    private void end(String problem) {
      if (done != null) {
        Consumer<String> told = done;
        done = null;
        payload = null;
        heads.push(head);
        quietly(() -> told.accept(problem));
      }
    }
  }
}
