package kvasir.ucx;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import kvasir.transport.MapOutput;
import kvasir.transport.MapOutputClient;
import kvasir.transport.Piece;
import kvasir.transport.Settings;
import kvasir.ucx.Message.Token;
import org.openucx.jucx.ucp.UcpAmData;
import org.openucx.jucx.ucs.UcsConstants;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches map outputs over UCX, with one thread and one connection to each server.
 *
 * <p>A failed fetch is not tried again: {@link kvasir.transport.RetryingClient} does that.
 */
final class UcxClient implements MapOutputClient {
  private static final Logger LOG = LoggerFactory.getLogger(UcxClient.class);

  private final String job;
  private final byte[] secret;
  private final Settings settings;
  private final Loop loop;
  private final Map<InetSocketAddress, UcxConnection> connections = new HashMap<>();
  private final Map<Token, UcxConnection> byToken = new HashMap<>();

  UcxClient(String job, byte[] secret, Settings settings) throws IOException {
    this.job = job;
    this.secret = secret.clone();
    this.settings = settings;
    loop = new Loop("kvasir-ucx-client");
    loop.receive(Message.TO_CLIENT, (address, length, data, reply) -> take(address, length, data));
    loop.start(this::checkTime, () -> endAll("the client is closed"));
  }

  @Override
  public CompletableFuture<Piece> fetch(
      InetSocketAddress server, MapOutput output, long offset, ByteBuffer into) {
    UcxConnection.Fetch fetch = new UcxConnection.Fetch(output, offset, into);
    if (!loop.later(() -> start(server, fetch))) {
      fetch.done.completeExceptionally(new IOException("the client is closed"));
    }
    return fetch.done;
  }

  @Override
  public void close() {
    loop.close();
  }

  private void start(InetSocketAddress server, UcxConnection.Fetch fetch) {
    try {
      UcxConnection connection = connections.get(server);
      if (connection == null) {
        connection = new UcxConnection(server, loop, job, secret, settings, this::end);
        connections.put(server, connection);
        byToken.put(connection.token(), connection);
        connection.greet();
      }
      connection.add(fetch);
    } catch (IOException e) {
      fetch.done.completeExceptionally(e);
    } catch (RuntimeException | Error e) {
      fetch.done.completeExceptionally(new IOException(server + ": " + e, e));
    }
  }

  private int take(long address, long length, UcpAmData data) {
    UcxConnection connection = null;
    try {
      Message message = Message.of(address, length);
      connection = byToken.get(message.token());
      if (connection != null) {
        connection.take(message.frame(), data);
      }
    } catch (IOException | RuntimeException | Error e) {
      if (connection == null) {
        LOG.debug("a message that is of no connection", e);
      } else {
        end(connection, e);
      }
    }
    return UcsConstants.STATUS.UCS_OK;
  }

  private void checkTime() {
    long now = System.nanoTime();
    for (UcxConnection connection : new ArrayList<>(connections.values())) {
      try {
        connection.checkTime(now);
      } catch (IOException e) {
        end(connection, e);
      }
    }
  }

  private void end(UcxConnection connection, Throwable reason) {
    connections.remove(connection.server(), connection);
    byToken.remove(connection.token());
    connection.end(reason);
  }

  private void endAll(String reason) {
    for (UcxConnection connection : new ArrayList<>(connections.values())) {
      end(connection, new IOException(reason));
    }
  }
}
