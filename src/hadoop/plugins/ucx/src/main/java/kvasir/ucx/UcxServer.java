package kvasir.ucx;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import kvasir.transport.Jobs;
import kvasir.transport.MapOutputServer;
import kvasir.transport.Outputs;
import kvasir.transport.Settings;
import kvasir.transport.Wire;
import kvasir.ucx.Message.Token;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpConnectionRequest;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpListener;
import org.openucx.jucx.ucp.UcpListenerParams;
import org.openucx.jucx.ucs.UcsConstants;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves map outputs over UCX, from direct buffers that files are read into.
 *
 * <p>A client has two buffers at a time, so that one is read while the other is sent, and a slow
 * one holds up nobody; when all are in use, clients wait for them in turn.
 */
final class UcxServer implements MapOutputServer {
  private static final Logger LOG = LoggerFactory.getLogger(UcxServer.class);
  private static final int BUFFER_BYTES = 256 << 10;

  /** 64 MB in all. */
  private static final int MOST_BUFFERS = 256;

  /** What a stranger gets to say who it is, at most. */
  private static final int GREETING_MS = 10_000;

  private final int port;
  private final Jobs jobs;
  private final Outputs outputs;
  private final Settings settings;
  private final ExecutorService readers;
  private final Loop loop;
  private final UcpListener listener;

  /** Connections that have not said who they are, with when they came, by UCX's number. */
  private final Map<Long, Stranger> strangers = new LinkedHashMap<>();

  private final Map<Token, UcxSession> sessions = new HashMap<>();
  private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();
  private final ArrayDeque<UcxSession> hungry = new ArrayDeque<>();
  private int made;

  /** Connection of nobody yet. */
  private static final class Stranger {
    private final UcpEndpoint endpoint;
    private final long since = System.nanoTime();

    Stranger(UcpEndpoint endpoint) {
      this.endpoint = endpoint;
    }
  }

  UcxServer(int port, Jobs jobs, Outputs outputs, Settings settings) throws IOException {
    this.port = port;
    this.jobs = jobs;
    this.outputs = outputs;
    this.settings = settings;
    loop = new Loop("kvasir-ucx-server");
    try {
      listener =
          loop.worker()
              .newListener(
                  new UcpListenerParams()
                      .setSockAddr(new InetSocketAddress(port))
                      .setConnectionHandler(request -> loop.later(() -> accept(request))));
    } catch (UcxException e) {
      loop.close();
      throw new IOException(
          "cannot serve map outputs over UCX on port " + port + ": " + e.getMessage(), e);
    }
    readers =
        Executors.newFixedThreadPool(
            settings.serverThreads(),
            task -> {
              Thread thread = new Thread(task, "kvasir-ucx-reader");
              thread.setDaemon(true);
              return thread;
            });
    loop.receive(
        Message.TO_SERVER,
        (address, length, data, reply) -> take(address, length, data.getLength(), reply));
    loop.start(this::checkTime, this::endAll);
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public void forget(String job) {
    loop.later(
        () -> {
          for (UcxSession session : new ArrayList<>(sessions.values())) {
            if (session.isOf(job)) {
              end(session, "the job is over");
            }
          }
        });
  }

  @Override
  public void close() {
    loop.close();
    // Its sessions ask the readers for more until it has ended.
    loop.join();
    readers.shutdown();
  }

  private void accept(UcpConnectionRequest request) {
    try {
      UcpEndpoint endpoint =
          loop.worker()
              .newEndpoint(
                  new UcpEndpointParams()
                      .setConnectionRequest(request)
                      .setPeerErrorHandlingMode()
                      .setErrorHandler((lost, status, message) -> lost(lost, message)));
      strangers.put(endpoint.getNativeId(), new Stranger(endpoint));
    } catch (UcxException e) {
      LOG.debug("a connection ended before it was served", e);
    }
  }

  /** Ends what UCX has lost, once UCX has returned. */
  private void lost(UcpEndpoint endpoint, String reason) {
    loop.later(
        () -> {
          Stranger stranger = strangers.remove(endpoint.getNativeId());
          if (stranger != null) {
            stranger.endpoint.closeNonBlockingForce();
          }
          for (UcxSession session : new ArrayList<>(sessions.values())) {
            if (session.isOver(endpoint)) {
              end(session, reason);
            }
          }
        });
  }

  private int take(long address, long length, long payload, UcpEndpoint reply) {
    UcxSession session = null;
    try {
      Message message = Message.of(address, length);
      session = sessions.get(message.token());
      if (session == null && message.token().equals(Token.none()) && reply != null) {
        Stranger known = strangers.remove(reply.getNativeId());
        Wire.require(known != null);
        session = new UcxSession(known.endpoint, this, jobs, outputs, settings);
        sessions.put(session.token(), session);
      }
      if (session != null) {
        // Clients send no bytes: what they offer is not taken.
        Wire.require(payload == 0);
        session.take(message.frame());
      }
    } catch (IOException | RuntimeException | Error e) {
      if (session == null) {
        LOG.debug("a message of nobody", e);
      } else {
        UcxSession broken = session;
        loop.later(() -> end(broken, e.toString()));
      }
    }
    return UcsConstants.STATUS.UCS_OK;
  }

  private void checkTime() {
    long now = System.nanoTime();
    long most = 1_000_000L * Math.min(GREETING_MS, settings.timeoutMs());
    strangers
        .values()
        .removeIf(
            stranger -> {
              boolean late = now - stranger.since > most;
              if (late) {
                stranger.endpoint.closeNonBlockingForce();
              }
              return late;
            });
    for (UcxSession session : new ArrayList<>(sessions.values())) {
      try {
        session.checkTime(now, most);
      } catch (SocketTimeoutException e) {
        end(session, e.getMessage());
      }
    }
  }

  void end(UcxSession session, String reason) {
    if (sessions.remove(session.token(), session)) {
      session.end(reason);
    }
  }

  private void endAll() {
    listener.close();
    strangers.values().forEach(stranger -> stranger.endpoint.closeNonBlockingForce());
    strangers.clear();
    for (UcxSession session : new ArrayList<>(sessions.values())) {
      end(session, "the server is closed");
    }
  }

  Loop loop() {
    return loop;
  }

  ExecutorService readers() {
    return readers;
  }

  /** Lends a buffer, null when there is none: the session is told when it may ask again. */
  ByteBuffer take(UcxSession session) {
    ByteBuffer buffer = free.poll();
    if (buffer == null && made < MOST_BUFFERS) {
      buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
      made++;
    }
    if (buffer == null) {
      hungry.add(session);
      return null;
    }
    buffer.clear();
    return buffer;
  }

  /** Takes a buffer back. */
  void give(ByteBuffer buffer) {
    free.push(buffer);
    while (!free.isEmpty() && !hungry.isEmpty()) {
      hungry.poll().fed();
    }
  }
}
