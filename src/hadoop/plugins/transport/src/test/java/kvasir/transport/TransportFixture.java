package kvasir.transport;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Connects clients with a server of a transport in the test's own process. */
public abstract class TransportFixture {
  protected static final String JOB = "job_1_0001";
  protected static final byte[] SECRET = "secret".getBytes(StandardCharsets.US_ASCII);
  protected static final MapOutput OUTPUT = new MapOutput("attempt_1_0001_m_000000_0", 3);

  @TempDir Path folder;
  protected final Configuration conf = new Configuration(false);
  protected final Jobs jobs = new Jobs();
  protected final List<AutoCloseable> open = new ArrayList<>();
  protected Stored stored;
  protected MapOutputServer server;
  protected InetSocketAddress address;
  private final Transport transport;

  protected TransportFixture(Transport transport) {
    this.transport = transport;
  }

  @BeforeEach
  void start() throws IOException {
    conf.setInt(Settings.TIMEOUT_MS, 20_000);
    conf.setInt(Settings.BACKOFF_MS, 50);
    conf.setInt(Settings.TRIES, 8);
    conf.setInt(Settings.SERVER_THREADS, 2);
    stored = new Stored(folder);
    jobs.add(new Jobs.Job(JOB, "application_1_0001", "me", SECRET));
    int port = freePort();
    server = serve(port);
    address = at(port);
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
  }

  /** Returns a port that nobody listens on. */
  protected static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  /** Starts a server that ends with the test. */
  protected MapOutputServer serve(int port) throws IOException {
    MapOutputServer made = transport.serve(port, jobs, stored, new Settings(conf));
    open.add(made);
    return made;
  }

  protected MapOutputClient client(String job, byte[] secret) throws IOException {
    MapOutputClient made = transport.connect(job, secret, new Settings(conf));
    open.add(made);
    return made;
  }

  protected MapOutputClient client() throws IOException {
    return client(JOB, SECRET);
  }

  protected InetSocketAddress address() {
    return address;
  }

  protected static InetSocketAddress at(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  protected static byte[] random(int count, long seed) {
    byte[] made = new byte[count];
    new Random(seed).nextBytes(made);
    return made;
  }

  protected static byte[] got(ByteBuffer buffer) {
    byte[] found = new byte[buffer.remaining()];
    buffer.duplicate().get(found);
    return found;
  }

  protected static IOException failure(CompletableFuture<Piece> fetch) {
    ExecutionException thrown =
        assertThrows(ExecutionException.class, () -> fetch.get(120, TimeUnit.SECONDS));
    return RetryingClient.reason(thrown);
  }
}
