package kvasir.rdma;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import kvasir.transport.Jobs;
import kvasir.transport.LocalOutputsTest;
import kvasir.transport.MapOutput;
import kvasir.transport.Settings;
import kvasir.transport.TcpClient;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.ShuffleHandler;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.api.ApplicationInitializationContext;
import org.apache.hadoop.yarn.server.api.ApplicationTerminationContext;
import org.apache.hadoop.yarn.server.api.ContainerTerminationContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ServiceTest {
  private static final byte[] SECRET = {2, 7, 1};
  private static final ApplicationId APPLICATION = ApplicationId.newInstance(12, 3);
  private static final String JOB = "job_12_0003";

  @TempDir Path folder;
  private final Configuration conf = new Configuration();
  private final Service service = new Service();
  private TcpClient client;
  private InetSocketAddress server;

  @BeforeEach
  void start() throws IOException {
    LocalOutputsTest.store(folder);
    int free;
    try (ServerSocket any = new ServerSocket(0)) {
      free = any.getLocalPort();
    }
    conf.set("yarn.nodemanager.local-dirs", folder.resolve("a") + "," + folder.resolve("b"));
    conf.setInt(ShuffleHandler.SHUFFLE_PORT_CONFIG_KEY, free - Service.portOffset(conf));
    Jobs.ofNodeManager().add(new Jobs.Job(JOB, APPLICATION.toString(), "me", SECRET));
    service.init(conf);
    service.start();
    server = new InetSocketAddress(InetAddress.getLoopbackAddress(), free);
    client = new TcpClient(JOB, SECRET, new Settings(conf));
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    service.close();
    Jobs.ofNodeManager().remove(JOB);
  }

  private byte[] fetched(int reduce) throws Exception {
    ByteBuffer into = ByteBuffer.allocate(9);
    client.fetch(server, new MapOutput(LocalOutputsTest.MAP, reduce), 0, into).get();
    byte[] found = new byte[into.remaining()];
    into.get(found);
    return found;
  }

  private void containerEnds() {
    ContainerId container =
        ContainerId.newContainerId(ApplicationAttemptId.newInstance(APPLICATION, 1), 2);
    service.stopContainer(
        new ContainerTerminationContext("me", container, Resource.newInstance(1, 1)));
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      Thread.sleep(5);
    }
  }

  @Test
  void outputsAreReadWhenTheirContainerEnds() throws Exception {
    service.initializeApplication(
        new ApplicationInitializationContext("me", APPLICATION, ByteBuffer.allocate(0)));
    containerEnds();
    // A part that is asked for while it is being read comes from the file.
    await(() -> service.cache().readAhead() == 7);
    assertArrayEquals(new byte[] {4, 5, 6, 7}, fetched(1));
    assertArrayEquals(new byte[] {1, 2, 3}, fetched(0));
    // The server counts what it has sent, when the client may have it already.
    await(() -> service.cache().fromMemory() == 7);

    service.stopApplication(new ApplicationTerminationContext(APPLICATION));
    Jobs.ofNodeManager().remove(JOB);
    assertThrows(
        ExecutionException.class,
        () -> {
          while (true) {
            fetched(1);
          }
        });
  }

  @Test
  void otherJobsAreServedFromTheirFiles() throws Exception {
    containerEnds();
    assertArrayEquals(new byte[] {4, 5, 6, 7}, fetched(1));
    assertEquals(0, service.cache().peakBytes());
    assertEquals(0, service.cache().fromMemory());
  }

  @Test
  void portThatIsNotFixedIsAnError() {
    Configuration other = new Configuration();
    other.setInt(ShuffleHandler.SHUFFLE_PORT_CONFIG_KEY, 0);
    try (Service one = new Service()) {
      one.init(other);
      RuntimeException error = assertThrows(RuntimeException.class, one::start);
      assertTrue(
          error.toString().contains(ShuffleHandler.SHUFFLE_PORT_CONFIG_KEY), error::toString);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
