package kvasir.nvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class DelayTest {
  private long now;

  /** A clock that a look at takes so long. */
  private long tick(long nanoseconds) {
    now += nanoseconds;
    return now;
  }

  private static NvmSettings.Access times(double factor) {
    return new NvmSettings.Access(factor, 0, 0);
  }

  @Test
  void reachIsWithinTwoPercentFrom64BytesTo1MiB() throws IOException {
    for (int size = 64; size <= 1 << 20; size *= 4) {
      Delay delay = new Delay(times(10), 1, 0.1, null, () -> tick(37));
      int writes = 2_000;
      for (int i = 0; i < writes; i++) {
        delay.access((long) i * size, size);
      }
      delay.settle();
      double asked = 0.9 * size * writes;
      assertEquals(asked, delay.asked(), 1, size + " bytes");
      assertEquals(1, delay.got() / asked, 0.02, size + " bytes");
    }
  }

  @Test
  void interruptsOfTheProcessorAreMadeUpFor() throws IOException {
    for (int size = 64; size <= 1 << 20; size *= 4) {
      long[] looks = {0};
      Delay delay =
          new Delay(times(10), 1, 0.1, null, () -> tick(++looks[0] % 50 == 0 ? 60_000 : 37));
      int writes = (64 << 20) / size;
      for (int i = 0; i < writes; i++) {
        delay.access((long) i * size, size);
      }
      delay.settle();
      assertEquals(1, delay.got() / (0.9 * size * writes), 0.02, size + " bytes");
    }
  }

  @Test
  void anotherThreadsTurnIsNotTakenOffLaterWrites() throws IOException {
    long[] looks = {0};
    Delay delay = new Delay(times(10), 1, 1, null, () -> tick(++looks[0] == 2 ? 5_000_000 : 10));
    for (int i = 0; i < 100; i++) {
      delay.access(1000 * i, 1000);
    }
    assertEquals(900_000, delay.asked());
    assertTrue(delay.got() > 5_000_000 + 650_000, "all but 200 us of later writes are waited for");
  }

  @Test
  void deviceAsFastAsDramAsksNothing() throws IOException {
    Delay delay = new Delay(times(1), 1, 1, null, () -> tick(1));
    delay.access(0, 1 << 20);
    delay.settle();
    assertEquals(0, delay.asked());
    assertEquals(0, now);
    assertEquals(1 << 20, delay.bytes());
  }

  @Test
  void unitsThatAWriteTouchesAreWrittenWhole() throws IOException {
    NvmSettings.Access access = new NvmSettings.Access(0, 1, 100);
    Delay apart = new Delay(access, 256, 0, null, () -> tick(1));
    apart.access(0, 64);
    apart.access(1024, 64);
    apart.access(2000, 100);
    apart.settle();
    // The last one begins in one unit and ends in the next.
    assertEquals(3 * 100 + 4 * 256, apart.asked());
    Delay together = new Delay(access, 256, 0, null, () -> tick(1));
    for (int i = 0; i < 16; i++) {
      together.access(64 * i, 64);
    }
    together.settle();
    assertEquals(100 + 1024, together.asked());
  }

  @Test
  void hostsTasksShareTheDevice() throws IOException {
    Path memory = Files.createTempDirectory(Paths.get("/dev/shm"), "kvasir-nvm-test");
    try (DeviceState one = new DeviceState(memory);
        DeviceState other = new DeviceState(memory)) {
      assertEquals(1_100, one.reserve(1_000, 100));
      assertEquals(1_300, other.reserve(1_050, 200));
      assertEquals(2_010, one.reserve(2_000, 10), "the device was idle");
      assertEquals(2_020, other.reserve(100, 10), "not before those that came first");
    } finally {
      Files.delete(memory.resolve("kvasir-nvm-" + System.getProperty("user.name") + ".device"));
      Files.delete(memory);
    }
  }

  @Test
  void wrongSettingsAreNamed() {
    String[][] wrong = {
      {NvmSettings.WRITE + NvmSettings.TIMES, "0.5", "expected a number from 1.0"},
      {"kvasir.nvm.wirte.times-dram", "10", "no such property"},
      {NvmSettings.MAPPING, "3", "a power of two"},
      {NvmSettings.CAPACITY, "many", "found 'many'"},
    };
    for (String[] one : wrong) {
      Configuration conf = new Configuration(false);
      conf.set(one[0], one[1]);
      Exception said = assertThrows(IllegalArgumentException.class, () -> new NvmSettings(conf));
      assertTrue(said.getMessage().startsWith(one[0]), said.getMessage());
      assertTrue(said.getMessage().contains(one[2]), said.getMessage());
    }
    Configuration both = new Configuration(false);
    both.set(NvmSettings.READ + NvmSettings.TIMES, "2");
    both.set(NvmSettings.READ + NvmSettings.BANDWIDTH, "2");
    assertThrows(IllegalArgumentException.class, () -> new NvmSettings(both));
  }
}
