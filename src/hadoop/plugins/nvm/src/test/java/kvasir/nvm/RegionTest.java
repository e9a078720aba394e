package kvasir.nvm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RegionTest {
  private Path memory;

  @BeforeEach
  void makeFolderInMemory() throws IOException {
    memory = Files.createTempDirectory(Paths.get("/dev/shm"), "kvasir-nvm-test");
  }

  @AfterEach
  void findNothing() throws IOException {
    // Fails when there is a file in it.
    Files.delete(memory);
  }

  private static long names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.count();
    }
  }

  @Test
  void bytesComeBackAcrossMappings() throws IOException {
    Random random = new Random(1);
    byte[] all = new byte[5_500_000];
    random.nextBytes(all);
    try (Region region = new Region(memory, 1 << 16, 0)) {
      int done = 0;
      while (done < all.length) {
        int part = Math.min(all.length - done, random.nextInt(200_000));
        region.append(all, done, part);
        done += part;
      }
      assertEquals(all.length, region.length());
      for (int i = 0; i < 200; i++) {
        int from = random.nextInt(all.length);
        byte[] found = new byte[random.nextInt(all.length - from) / (1 + i % 50)];
        region.read(from, found, 0, found.length);
        assertArrayEquals(Arrays.copyOfRange(all, from, from + found.length), found);
      }
      byte[] one = new byte[1];
      assertThrows(IndexOutOfBoundsException.class, () -> region.read(all.length, one, 0, 1));
    }
  }

  @Test
  void regionsHoldMoreThanOneMapping() throws IOException {
    // More than 2 GiB by hand: mvn -Dkvasir.test.region-mb=2500.
    int blocks = Integer.getInteger("kvasir.test.region-mb", 9);
    byte[] block = new byte[1 << 20];
    try (Region region = new Region(memory, blocks > 1024 ? 1 << 30 : 1 << 22, 0)) {
      for (int i = 0; i < blocks; i++) {
        Arrays.fill(block, (byte) i);
        region.append(block, 0, block.length);
      }
      assertEquals((long) blocks << 20, region.length());
      for (int i = 0; i < blocks; i++) {
        region.read((long) i << 20, block, 0, 1);
        assertEquals((byte) i, block[0]);
      }
    }
  }

  @Test
  void fullRegionSaysSo() throws IOException {
    try (Region region = new Region(memory, 1 << 16, 100_000)) {
      region.append(new byte[99_999], 0, 99_999);
      IOException said = assertThrows(IOException.class, () -> region.append(new byte[2], 0, 2));
      assertTrue(said.getMessage().contains("is full"), said.getMessage());
      assertTrue(said.getMessage().contains(NvmSettings.CAPACITY), said.getMessage());
    }
  }

  @Test
  void fileHasNoNameWhileItIsUsed() throws IOException {
    try (Region region = new Region(memory, 1 << 16, 0)) {
      region.append(new byte[1000], 0, 1000);
      assertEquals(0, names(memory));
    }
  }

  /** Fills a region, says so and waits to be killed. */
  public static final class Victim {
    /** Takes the folder. */
    public static void main(String[] arguments) throws Exception {
      Region region = new Region(Paths.get(arguments[0]), 1 << 22, 0);
      region.append(new byte[8 << 20], 0, 8 << 20);
      System.out.println("filled");
      Thread.sleep(600_000);
    }
  }

  @Test
  void killedProcessLeavesNothing() throws Exception {
    Process victim =
        new ProcessBuilder(
                Paths.get(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Victim.class.getName(),
                memory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader output =
        new BufferedReader(new InputStreamReader(victim.getInputStream(), StandardCharsets.UTF_8));
    assertEquals("filled", output.readLine());
    victim.destroyForcibly().waitFor();
    assertEquals(0, names(memory));
  }

  @Test
  void foldersInMemoryAreTold() {
    String root = "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw";
    String shm = "23 22 0:20 / /dev/shm rw,nosuid - tmpfs tmpfs rw";
    String pmem = "24 22 259:0 / /mnt/pmem0 rw,relatime shared:5 - ext4 /dev/pmem0 rw,dax=always";
    String plain = "25 22 259:1 / /mnt/ssd rw,relatime - xfs /dev/nvme0n1 rw,attr2";
    java.util.List<String> mounts = Arrays.asList(root, shm, pmem, plain);
    assertEquals("", Kernel.notMemory("/dev/shm/of/mine", mounts));
    assertEquals("", Kernel.notMemory("/mnt/pmem0", mounts));
    assertTrue(Kernel.notMemory("/mnt/ssd/x", mounts).contains("xfs mounted at /mnt/ssd"));
    assertTrue(Kernel.notMemory("/dev/shmall", mounts).contains("ext4 mounted at /"));
  }
}
