package kvasir.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Connects clients with a server in the test's own process. */
abstract class TcpFixture {
  static final String JOB = "job_1_0001";
  static final byte[] SECRET = "secret".getBytes(StandardCharsets.US_ASCII);
  static final MapOutput OUTPUT = new MapOutput("attempt_1_0001_m_000000_0", 3);

  @TempDir Path folder;
  final Configuration conf = new Configuration(false);
  final Jobs jobs = new Jobs();
  final List<AutoCloseable> open = new ArrayList<>();
  Stored stored;
  TcpServer server;

  @BeforeEach
  void start() throws IOException {
    conf.setInt(Settings.TIMEOUT_MS, 20_000);
    conf.setInt(Settings.BACKOFF_MS, 50);
    conf.setInt(Settings.TRIES, 8);
    conf.setInt(Settings.SERVER_THREADS, 2);
    stored = new Stored(folder);
    jobs.add(new Jobs.Job(JOB, "application_1_0001", "me", SECRET));
    server = new TcpServer(0, jobs, stored, new Settings(conf));
    open.add(server);
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
  }

  TcpClient client(String job, byte[] secret) throws IOException {
    TcpClient made = new TcpClient(job, secret, new Settings(conf));
    open.add(made);
    return made;
  }

  TcpClient client() throws IOException {
    return client(JOB, SECRET);
  }

  InetSocketAddress address() {
    return at(server.port());
  }

  static InetSocketAddress at(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  static byte[] random(int count, long seed) {
    byte[] made = new byte[count];
    new Random(seed).nextBytes(made);
    return made;
  }

  static byte[] got(ByteBuffer buffer) {
    byte[] found = new byte[buffer.remaining()];
    buffer.duplicate().get(found);
    return found;
  }

  static IOException failure(CompletableFuture<Piece> fetch) {
    ExecutionException thrown =
        assertThrows(ExecutionException.class, () -> fetch.get(120, TimeUnit.SECONDS));
    return RetryingClient.reason(thrown);
  }

  /** Greets a server as a client does; returns what was said. */
  static byte[][] greet(Socket socket, DataOutputStream out, String job, byte[] secret)
      throws IOException {
    byte[] client = Proof.nonce();
    byte[] hello = new Wire.Frame(Wire.HELLO).put(Wire.MAGIC).put(job).put(client).made().array();
    out.write(hello);
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] nonce = frame(in);
    byte[] server = Arrays.copyOfRange(nonce, 1, nonce.length);
    byte[] mine = Proof.of(secret, Proof.Role.CLIENT, job, client, server);
    byte[] proof = new Wire.Frame(Wire.PROOF).put(mine).made().array();
    out.write(proof);
    byte[] answer = frame(in);
    byte[] theirs = Proof.of(secret, Proof.Role.SERVER, job, client, server);
    assertArrayEquals(theirs, Arrays.copyOfRange(answer, 1, answer.length));
    return new byte[][] {hello, proof};
  }

  /** Greets a client as a server does, and reads its first question. */
  static void accept(Socket socket) throws IOException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] hello = frame(in);
    byte[] client = Arrays.copyOfRange(hello, hello.length - 32, hello.length);
    byte[] server = Proof.nonce();
    socket.getOutputStream().write(new Wire.Frame(Wire.NONCE).put(server).made().array());
    frame(in);
    byte[] proof = Proof.of(SECRET, Proof.Role.SERVER, JOB, client, server);
    socket.getOutputStream().write(new Wire.Frame(Wire.PROOF).put(proof).made().array());
    frame(in);
  }

  /** Returns kind and content of a frame. */
  static byte[] frame(DataInputStream in) throws IOException {
    byte[] found = new byte[in.readInt()];
    in.readFully(found);
    return found;
  }

  static byte[] ask(int id, MapOutput output, long offset, int most) {
    return new Wire.Frame(Wire.FETCH)
        .put(id)
        .put(output.reduce())
        .put(offset)
        .put(most)
        .put(output.attempt())
        .made()
        .array();
  }

  static void assertEnds(Socket socket) {
    try {
      assertEquals(-1, socket.getInputStream().read());
    } catch (IOException e) {
      // Reset instead of ended.
    }
  }
}
