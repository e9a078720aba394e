package kvasir.rdma;

import static kvasir.shuffle.Records.keys;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import kvasir.shuffle.ShuffleFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Has a process with a heap of 64 MB reduce more than fits into it. */
@Timeout(240)
class OutOfMemoryTest extends ShuffleFixture {
  private static final int MAPS = 8;
  private static final int RECORDS = 30_000;

  /** What Java ends with when it is told to end without memory. */
  private static final int WITHOUT_MEMORY = 3;

  OutOfMemoryTest() {
    super("kvasir.rdma", 2, RdmaShuffle::new);
  }

  private String said;

  private int reduce(int memoryMb, boolean watch) throws Exception {
    String java =
        System.getProperty("java.home") + File.separator + "bin" + File.separator + "java";
    ProcessBuilder command =
        new ProcessBuilder(
            Arrays.asList(
                java,
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                Reduce.class.getName(),
                Integer.toString(beside(server.port())),
                Integer.toString(MAPS),
                Integer.toString(memoryMb),
                folder.toString(),
                Boolean.toString(watch)));
    Process process = command.redirectErrorStream(true).start();
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    try (InputStream from = process.getInputStream()) {
      byte[] some = new byte[4096];
      for (int read = from.read(some); read >= 0; read = from.read(some)) {
        output.write(some, 0, read);
      }
    }
    said = new String(output.toByteArray(), StandardCharsets.UTF_8);
    return process.waitFor();
  }

  @Test
  void moreThanTheHeapIsReducedWhereWithoutTheGuardMemoryEnds() throws Exception {
    long stored = 0;
    for (int map = 0; map < MAPS; map++) {
      outputs.put(output(map, 0), keys(new Random(map), RECORDS), null);
      stored += outputs.find(null, output(map, 0)).length();
    }
    assertTrue(stored > 70 << 20, "stored: " + stored);
    assertEquals(0, reduce(0, true), () -> said);
    assertTrue(said.contains("[" + MAPS * RECORDS + ", true]"), () -> said);
    assertEquals(WITHOUT_MEMORY, reduce(1000, false), () -> said);
    // What the process has left behind.
    for (File left : folder.toFile().listFiles((in, name) -> name.contains("_r_"))) {
      assertTrue(left.delete());
    }
  }
}
