package kvasir.ucx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import kvasir.transport.Settings;
import kvasir.transport.TransportFixture;
import kvasir.transport.Wire;
import kvasir.ucx.Message.Token;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpMemory;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

@Timeout(240)
class UcxTrustTest extends TransportFixture {
  UcxTrustTest() {
    super(new UcxTransport());
  }

  private void assertServes() throws Exception {
    byte[] bytes = random(400_000, 7);
    stored.put(OUTPUT, bytes, 0);
    ByteBuffer into = ByteBuffer.allocate(bytes.length);
    assertArrayEquals(bytes, got(client().fetch(address(), OUTPUT, 0, into).get().bytes()));
  }

  /** Connects as anybody can who has UCX; the endpoint reads and writes memory if it is let. */
  private final class Stranger implements AutoCloseable {
    private final UcpContext context =
        new UcpContext(new UcpParams().requestAmFeature().requestRmaFeature());
    private final UcpWorker worker = context.newWorker(new UcpWorkerParams());
    private boolean lost;
    private final UcpEndpoint endpoint =
        worker.newEndpoint(
            new UcpEndpointParams()
                .setSocketAddress(
                    new InetSocketAddress(
                        address().getAddress(), address().getPort() + UcxTransport.PORT_OFFSET))
                .setPeerErrorHandlingMode()
                .setErrorHandler((of, status, message) -> lost = true));

    void progress(long ms) throws Exception {
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
      while (System.nanoTime() < end && !lost) {
        worker.progress();
      }
    }

    void say(Token token, Wire.Frame frame, ByteBuffer payload) {
      ByteBuffer head = Message.head(token, frame);
      ByteBuffer direct = ByteBuffer.allocateDirect(head.remaining());
      direct.put(head).flip();
      endpoint.sendAmNonBlocking(
          Message.TO_SERVER,
          UcxUtils.getAddress(direct),
          direct.remaining(),
          payload == null ? 0 : UcxUtils.getAddress(payload),
          payload == null ? 0 : payload.remaining(),
          0,
          new Ignored());
    }

    @Override
    public void close() {
      endpoint.closeNonBlockingForce();
      try {
        progress(50);
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
      worker.close();
      context.close();
    }
  }

  private static final class Ignored extends UcxCallback {
    @Override
    public void onError(int status, String message) {
      // As the test wants it.
    }
  }

  @Test
  void memoryIsNotReadOrWrittenFromAfar() throws Exception {
    ByteBuffer held = ByteBuffer.allocateDirect(64);
    held.put("secret of this process".getBytes(StandardCharsets.US_ASCII)).clear();
    byte[] before = got(held);
    try (Stranger stranger = new Stranger()) {
      stranger.progress(300);
      ByteBuffer own = ByteBuffer.allocateDirect(64);
      UcpMemory memory = stranger.context.registerMemory(own);
      try {
        // Over TCP a key holds nothing that the other side would check.
        UcpRemoteKey key = stranger.endpoint.unpackRemoteKey(memory.getRemoteKeyBuffer());
        UcpRequest read =
            stranger.endpoint.getNonBlocking(UcxUtils.getAddress(held), key, own, new Ignored());
        ByteBuffer evil = ByteBuffer.allocateDirect(64);
        evil.put(0, (byte) 'x');
        stranger.endpoint.putNonBlocking(evil, UcxUtils.getAddress(held), key, new Ignored());
        stranger.progress(1000);
        assertFalse(read.isCompleted() && own.get(0) == 's', "it was read");
      } catch (UcxException e) {
        // UCX itself has refused.
      } finally {
        memory.deregister();
      }
    }
    assertArrayEquals(before, got(held), "it was written to");
    assertServes();
  }

  @Test
  void messagesOfNobodyHarmNobody() throws Exception {
    try (Stranger stranger = new Stranger()) {
      stranger.say(Token.none(), new Wire.Frame(Wire.FETCH).put(1), null);
      stranger.say(Token.of(random(32, 3)), new Wire.Frame(Wire.FETCH).put(1), null);
      ByteBuffer large = ByteBuffer.allocateDirect(3 << 20);
      stranger.say(Token.none(), new Wire.Frame(Wire.HELLO).put(Wire.MAGIC), large);
      stranger.progress(500);
      assertServes();
    }
    assertServes();
  }

  @Test
  void whoSaysNothingIsCutOff() throws Exception {
    conf.setInt(Settings.TIMEOUT_MS, 500);
    address = at(freePort());
    serve(address.getPort());
    try (Stranger stranger = new Stranger()) {
      stranger.progress(20_000);
      assertTrue(stranger.lost);
    }
    try (Socket loud =
        new Socket(address().getAddress(), address().getPort() + UcxTransport.PORT_OFFSET)) {
      loud.getOutputStream().write(random(5000, 2));
      loud.getOutputStream().flush();
    }
    conf.setInt(Settings.TIMEOUT_MS, 20_000);
    assertServes();
  }
}
