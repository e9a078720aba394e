package kvasir.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class TcpTest extends TcpFixture {
  @Test
  void outputsOfAllSizesArriveWhole() throws Exception {
    Random random = new Random(14);
    TcpClient client = client();
    for (int turn = 0; turn < 60; turn++) {
      int size = turn < 3 ? turn : random.nextInt(1 << random.nextInt(20));
      byte[] bytes = random(size, turn);
      MapOutput output = new MapOutput("attempt_1_0001_m_000000_" + turn, random.nextInt(9));
      stored.put(output, bytes, 2L * size);
      int offset = random.nextInt(size + 1);
      ByteBuffer into = ByteBuffer.allocateDirect(10 + random.nextInt(2 * size + 1));
      into.position(random.nextInt(10));
      int expected = Math.min(into.remaining(), size - offset);
      Piece piece = client.fetch(address(), output, offset, into).get();
      assertEquals(size, piece.length());
      assertEquals(2L * size, piece.rawLength());
      byte[] part = Arrays.copyOfRange(bytes, offset, offset + expected);
      assertArrayEquals(part, got(piece.bytes()));
    }
  }

  @Test
  void manyFetchesAtOnceKeepWithinTheWindow() throws Exception {
    conf.setInt(Settings.WINDOW_KB, 1);
    byte[] bytes = random(300_000, 1);
    stored.put(OUTPUT, bytes, 0);
    TcpClient client = client();
    List<CompletableFuture<Piece>> fetches = new ArrayList<>();
    for (int at = 0; at < bytes.length; at += 600) {
      fetches.add(client.fetch(address(), OUTPUT, at, ByteBuffer.allocate(600)));
    }
    ByteBuffer whole = ByteBuffer.allocate(bytes.length);
    for (CompletableFuture<Piece> fetch : fetches) {
      whole.put(fetch.get().bytes());
    }
    assertArrayEquals(bytes, whole.array());
  }

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
  void nothingIsSentOfWhatIsNotThere() throws Exception {
    stored.put(OUTPUT, random(10, 3), 0);
    TcpClient client = client();
    MapOutput other = new MapOutput(OUTPUT.attempt(), 4);
    IOException missing = failure(client.fetch(address(), other, 0, ByteBuffer.allocate(9)));
    assertTrue(missing instanceof RefusedException, missing::toString);
    IOException beyond = failure(client.fetch(address(), OUTPUT, 11, ByteBuffer.allocate(9)));
    assertTrue(beyond instanceof RefusedException, beyond::toString);
    stored.cut(OUTPUT, 4);
    IOException cut = failure(client.fetch(address(), OUTPUT, 0, ByteBuffer.allocate(9)));
    assertTrue(cut.getMessage().contains("shorter than its index says"), cut::toString);
    // The connection has survived it.
    assertEquals(
        3, client.fetch(address(), OUTPUT, 1, ByteBuffer.allocate(3)).get().bytes().limit());
  }

  @Test
  void serverThatSaysNothingIsGivenUp() throws Exception {
    conf.setInt(Settings.TIMEOUT_MS, 3000);
    try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      TcpClient client = client();
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
  void fetchIsTriedAgainFromWhereItBegan() throws Exception {
    byte[] bytes = random(5000, 6);
    stored.put(OUTPUT, bytes, 0);
    int port;
    try (ServerSocket free = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    AtomicInteger failures = new AtomicInteger();
    RetryingClient retrying =
        new RetryingClient(client(), new Settings(conf), output -> failures.incrementAndGet());
    open.add(retrying);
    ByteBuffer into = ByteBuffer.allocate(4000);
    CompletableFuture<Piece> fetch = retrying.fetch(at(port), OUTPUT, 100, into);
    while (failures.get() < 2) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
    try (TcpServer late = new TcpServer(port, jobs, stored, new Settings(conf))) {
      assertEquals(port, late.port());
      byte[] part = Arrays.copyOfRange(bytes, 100, 4100);
      assertArrayEquals(part, got(fetch.get().bytes()));
      stored.remove(OUTPUT);
      int before = failures.get();
      into.clear();
      assertTrue(failure(retrying.fetch(at(port), OUTPUT, 0, into)) instanceof RefusedException);
      assertEquals(before + 1, failures.get(), "what is refused is not asked for again");
    }
    failures.set(0);
    into.clear();
    failure(retrying.fetch(at(port), OUTPUT, 0, into));
    assertEquals(new Settings(conf).tries(), failures.get());
  }

  @Test
  void serverOutlivesErrors() throws Exception {
    stored.put(OUTPUT, random(10, 8), 0);
    MapOutput explosive = new MapOutput(OUTPUT.attempt(), 5);
    stored.explode(explosive);
    TcpClient client = client();
    for (int i = 0; i < 4; i++) {
      IOException lost = failure(client.fetch(address(), explosive, 0, ByteBuffer.allocate(9)));
      assertTrue(lost.getMessage().contains("has ended the connection"), lost::toString);
      client.fetch(address(), OUTPUT, 0, ByteBuffer.allocate(9)).get();
    }
  }

  @Test
  void callbackThatFailsLosesNoFetch() throws Exception {
    conf.setInt(Settings.TRIES, 2);
    RetryingClient retrying =
        new RetryingClient(
            client(),
            new Settings(conf),
            output -> {
              throw new IllegalStateException("as the test wants it");
            });
    open.add(retrying);
    failure(retrying.fetch(address(), OUTPUT, 0, ByteBuffer.allocate(9)));
  }

  @Test
  void closedClientFailsWhatIsNotDone() throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      TcpClient client = client();
      CompletableFuture<Piece> fetch =
          client.fetch(at(listener.getLocalPort()), OUTPUT, 0, ByteBuffer.allocate(9));
      client.close();
      assertTrue(failure(fetch).getMessage().contains("the client is closed"));
      failure(client.fetch(at(listener.getLocalPort()), OUTPUT, 0, ByteBuffer.allocate(9)));
    }
  }
}
