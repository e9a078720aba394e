package kvasir.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.ShuffleHandler;
import org.apache.hadoop.mapreduce.security.token.JobTokenIdentifier;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.server.api.ApplicationInitializationContext;
import org.apache.hadoop.yarn.server.api.ApplicationTerminationContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ServiceTest {
  private static final String JOB = "job_12_0003";
  private static final byte[] SECRET = "secret".getBytes(StandardCharsets.US_ASCII);

  @TempDir Path folder;

  /** Returns a port that is free, as is the next one. */
  private static int ports() {
    for (int port = 20_000; port < 32_000; port += 2) {
      try (ServerSocket one = new ServerSocket(port);
          ServerSocket other = new ServerSocket(port + 1)) {
        return Math.min(one.getLocalPort(), other.getLocalPort());
      } catch (IOException e) {
        // Taken.
      }
    }
    throw new AssertionError("no port is free");
  }

  @Test
  void outputsOfKnownJobsAreServedBesideTheShuffle() throws Exception {
    LocalOutputsTest.store(folder);
    int port = ports();
    Configuration conf = new Configuration();
    conf.set("yarn.nodemanager.local-dirs", folder.resolve("a") + "," + folder.resolve("b"));
    conf.setInt(ShuffleHandler.SHUFFLE_PORT_CONFIG_KEY, port);
    ApplicationId id = ApplicationId.newInstance(12, 3);
    try (Service service = new Service();
        TcpClient client = new TcpClient(JOB, SECRET, new Settings(conf))) {
      assertEquals(ShuffleHandler.MAPREDUCE_SHUFFLE_SERVICEID, service.getName());
      service.init(conf);
      service.start();
      assertEquals(port, ShuffleHandler.deserializeMetaData(service.getMetaData()));
      Token<JobTokenIdentifier> token =
          new Token<>(new byte[0], SECRET, new Text("kind"), new Text("service"));
      ByteBuffer data = ShuffleHandler.serializeServiceData(token);
      service.initializeApplication(new ApplicationInitializationContext("me", id, data));
      assertEquals(0, data.remaining(), "the shuffle has read it as well");

      InetSocketAddress server =
          new InetSocketAddress(
              InetAddress.getLoopbackAddress(), Service.port(port, new Settings(conf)));
      MapOutput output = new MapOutput(LocalOutputsTest.MAP, 1);
      ByteBuffer into = ByteBuffer.allocate(9);
      client.fetch(server, output, 0, into).get();
      byte[] found = new byte[into.remaining()];
      into.get(found);
      assertArrayEquals(new byte[] {4, 5, 6, 7}, found);

      service.stopApplication(new ApplicationTerminationContext(id));
      assertThrows(
          ExecutionException.class,
          () -> {
            while (true) {
              client.fetch(server, output, 0, ByteBuffer.allocate(9)).get();
            }
          });
    }
  }
}
