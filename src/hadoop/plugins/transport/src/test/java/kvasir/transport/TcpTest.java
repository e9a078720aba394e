package kvasir.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class TcpTest extends TcpFixture {
  @Test
  void clientThatTakesNothingHoldsUpNobody() throws Exception {
    conf.setInt(Settings.SERVER_THREADS, 1);
    conf.setInt(Settings.TIMEOUT_MS, 3000);
    try (TcpServer one = new TcpServer(0, jobs, stored, new Settings(conf));
        Socket slow = new Socket(InetAddress.getLoopbackAddress(), one.port())) {
      byte[] bytes = random(8 << 20, 2);
      stored.put(OUTPUT, bytes, 0);
      DataOutputStream out = new DataOutputStream(slow.getOutputStream());
      greet(slow, out, JOB, SECRET);
      for (int i = 0; i < 20; i++) {
        out.write(ask(i, OUTPUT, 0, bytes.length));
      }
      Piece piece = client().fetch(at(one.port()), OUTPUT, 5, ByteBuffer.allocate(1000)).get();
      assertEquals(1000, piece.bytes().remaining());
      // In the end it is cut off.
      DataInputStream in = new DataInputStream(slow.getInputStream());
      TimeUnit.MILLISECONDS.sleep(5000);
      byte[] rest = new byte[1 << 16];
      long taken = 0;
      try {
        for (int now = in.read(rest); now >= 0; now = in.read(rest)) {
          taken += now;
        }
      } catch (IOException e) {
        // The connection was reset.
      }
      assertTrue(taken < 20L * bytes.length);
    }
  }

  @Test
  void serverThatSaysNothingIsGivenUp() throws Exception {
    conf.setInt(Settings.TIMEOUT_MS, 3000);
    try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      MapOutputClient client = client();
      InetSocketAddress there = at(listener.getLocalPort());
      IOException silent = failure(client.fetch(there, OUTPUT, 0, ByteBuffer.allocate(9)));
      assertTrue(silent.getMessage().contains("no answer for 3000 ms"), silent::toString);
      listener.accept().close();
      CompletableFuture<Piece> fetch = client.fetch(there, OUTPUT, 0, ByteBuffer.allocate(9));
      try (Socket peer = listener.accept()) {
        accept(peer);
        assertTrue(failure(fetch).getMessage().contains("no answer for 3000 ms"));
      }
    }
  }

  @Test
  void closedClientFailsWhatIsNotDone() throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      MapOutputClient client = client();
      CompletableFuture<Piece> fetch =
          client.fetch(at(listener.getLocalPort()), OUTPUT, 0, ByteBuffer.allocate(9));
      client.close();
      assertTrue(failure(fetch).getMessage().contains("the client is closed"));
      failure(client.fetch(at(listener.getLocalPort()), OUTPUT, 0, ByteBuffer.allocate(9)));
    }
  }
}
