package kvasir.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every transport does. */
@Timeout(240)
public abstract class TransportContract extends TransportFixture {
  protected TransportContract(Transport transport) {
    super(transport);
  }

  @Test
  void outputsOfAllSizesArriveWhole() throws Exception {
    Random random = new Random(14);
    MapOutputClient client = client();
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
    MapOutputClient client = client();
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
  void nothingIsSentOfWhatIsNotThere() throws Exception {
    stored.put(OUTPUT, random(10, 3), 0);
    MapOutputClient client = client();
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
  void fetchIsTriedAgainFromWhereItBegan() throws Exception {
    byte[] bytes = random(5000, 6);
    stored.put(OUTPUT, bytes, 0);
    int port = freePort();
    CountingClient counted = new CountingClient(client());
    RetryingClient retrying = new RetryingClient(counted, new Settings(conf));
    open.add(retrying);
    ByteBuffer into = ByteBuffer.allocate(4000);
    CompletableFuture<Piece> fetch = retrying.fetch(at(port), OUTPUT, 100, into);
    while (counted.tries.get() < 3) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
    MapOutputServer late = serve(port);
    byte[] part = Arrays.copyOfRange(bytes, 100, 4100);
    assertArrayEquals(part, got(fetch.get().bytes()));
    stored.remove(OUTPUT);
    int before = counted.tries.get();
    into.clear();
    assertTrue(failure(retrying.fetch(at(port), OUTPUT, 0, into)) instanceof RefusedException);
    assertEquals(before + 1, counted.tries.get(), "what is refused is not asked for again");
    late.close();
    counted.tries.set(0);
    into.clear();
    failure(retrying.fetch(at(port), OUTPUT, 0, into));
    assertEquals(new Settings(conf).tries(), counted.tries.get());
  }

  /** Counts the fetches of another client. */
  private static final class CountingClient implements MapOutputClient {
    final AtomicInteger tries = new AtomicInteger();
    private final MapOutputClient client;

    CountingClient(MapOutputClient client) {
      this.client = client;
    }

    @Override
    public CompletableFuture<Piece> fetch(
        InetSocketAddress server, MapOutput output, long offset, ByteBuffer into) {
      tries.incrementAndGet();
      return client.fetch(server, output, offset, into);
    }

    @Override
    public void close() {
      client.close();
    }
  }

  @Test
  void passingErrorOfAServerIsTriedAgain() throws Exception {
    byte[] bytes = random(5000, 6);
    stored.put(OUTPUT, bytes, 0);
    stored.failOnce(OUTPUT, new FileNotFoundException("file.out (Too many open files)"));
    CountingClient counted = new CountingClient(client());
    RetryingClient retrying = new RetryingClient(counted, new Settings(conf));
    open.add(retrying);
    ByteBuffer into = ByteBuffer.allocate(5000);
    assertArrayEquals(bytes, got(retrying.fetch(address(), OUTPUT, 0, into).get().bytes()));
    assertEquals(2, counted.tries.get());
  }

  @Test
  void serverOutlivesErrors() throws Exception {
    stored.put(OUTPUT, random(10, 8), 0);
    MapOutput explosive = new MapOutput(OUTPUT.attempt(), 5);
    stored.explode(explosive);
    MapOutputClient client = client();
    for (int i = 0; i < 4; i++) {
      IOException lost = failure(client.fetch(address(), explosive, 0, ByteBuffer.allocate(9)));
      assertTrue(lost.getMessage().contains("has ended the connection"), lost::toString);
      client.fetch(address(), OUTPUT, 0, ByteBuffer.allocate(9)).get();
    }
  }

  @Test
  void portOfAServerThatIsClosedIsFree() throws Exception {
    // Nobody connects: the system keeps the ports of connections for a while, whoever listened.
    int port = freePort();
    for (int i = 0; i < 5; i++) {
      serve(port).close();
    }
  }

  @Test
  void jobThatIsOverIsServedNoMore() throws Exception {
    stored.put(OUTPUT, random(10, 7), 0);
    MapOutputClient client = client();
    client.fetch(address(), OUTPUT, 0, ByteBuffer.allocate(9)).get();
    jobs.remove(JOB);
    server.forget(JOB);
    while (true) {
      CompletableFuture<Piece> fetch = client.fetch(address(), OUTPUT, 0, ByteBuffer.allocate(9));
      try {
        fetch.get();
      } catch (ExecutionException e) {
        break;
      }
    }
    failure(client.fetch(address(), OUTPUT, 0, ByteBuffer.allocate(9)));
  }

  @Test
  void largeOutputsArriveWholeInBuffersOfBothKinds() throws Exception {
    byte[] bytes = random(5_000_003, 9);
    stored.put(OUTPUT, bytes, 0);
    MapOutputClient client = client();
    List<CompletableFuture<Piece>> fetches = new ArrayList<>();
    for (int turn = 0; turn < 8; turn++) {
      int room = bytes.length + turn;
      ByteBuffer into = turn % 2 == 0 ? ByteBuffer.allocate(room) : ByteBuffer.allocateDirect(room);
      fetches.add(client.fetch(address(), OUTPUT, turn, into));
    }
    for (int turn = 0; turn < fetches.size(); turn++) {
      byte[] rest = Arrays.copyOfRange(bytes, turn, bytes.length);
      assertArrayEquals(rest, got(fetches.get(turn).get().bytes()));
    }
  }

  @Test
  void whoDoesNotKnowTheSecretGetsNothing() throws Exception {
    stored.put(OUTPUT, random(10, 4), 0);
    byte[] wrong = "guess".getBytes(StandardCharsets.US_ASCII);
    IOException guessed =
        failure(client(JOB, wrong).fetch(address(), OUTPUT, 0, ByteBuffer.allocate(9)));
    assertTrue(guessed.getMessage().contains("does not accept us"), guessed::toString);
    IOException unknown =
        failure(client("job_1_0002", SECRET).fetch(address(), OUTPUT, 0, ByteBuffer.allocate(9)));
    assertTrue(unknown.getMessage().contains("does not accept us"), unknown::toString);
    assertEquals(
        9, client().fetch(address(), OUTPUT, 0, ByteBuffer.allocate(9)).get().bytes().limit());
  }

  @Test
  void serverThatEndsFailsWhatIsAsked() throws Exception {
    conf.setInt(Settings.TIMEOUT_MS, 5000);
    stored.put(OUTPUT, random(10, 5), 0);
    MapOutputClient client = client();
    client.fetch(address(), OUTPUT, 0, ByteBuffer.allocate(9)).get();
    server.close();
    while (true) {
      try {
        client.fetch(address(), OUTPUT, 0, ByteBuffer.allocate(9)).get();
      } catch (ExecutionException e) {
        break;
      }
    }
    failure(client.fetch(address(), OUTPUT, 0, ByteBuffer.allocate(9)));
  }
}
