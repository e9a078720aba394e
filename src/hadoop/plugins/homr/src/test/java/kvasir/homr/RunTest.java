package kvasir.homr;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Random;
import kvasir.shuffle.ShuffleMemory;
import kvasir.shuffle.SpillFile;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunTest {
  @TempDir Path folder;
  private SpillFile spill;
  private long ahead;

  private Pool pool(Path scratch) throws IOException {
    JobConf conf = new JobConf(false);
    conf.set(MRConfig.LOCAL_DIR, scratch.toString());
    conf.setInt("kvasir.homr.memory-mb", 1);
    conf.setInt("kvasir.homr.chunk-kb", 16);
    ShuffleMemory memory = ShuffleMemory.of(conf, "homr", 4);
    ahead = memory.ahead();
    spill = new SpillFile(conf, FileSystem.getLocal(conf), "spill");
    return new Pool(memory, spill, () -> false, Wishes.VOLUME, 2);
  }

  @AfterEach
  void close() {
    spill.close();
  }

  private static byte[] bytes(Random random) {
    byte[] made = new byte[random.nextInt(random.nextInt(4) == 0 ? 100 : 400_000)];
    random.nextBytes(made);
    return made;
  }

  /** Writes bytes in pieces of random sizes. */
  private static void write(RunWriter out, byte[] all, Random random) throws IOException {
    for (int at = 0; at < all.length; ) {
      int count = Math.min(all.length - at, 1 + random.nextInt(40_000));
      if (count == 1) {
        out.write(all[at]);
      } else {
        out.write(all, at, count);
      }
      at += count;
    }
  }

  private static byte[] rest(Held held, Random random) throws IOException {
    ByteArrayOutputStream found = new ByteArrayOutputStream();
    while (true) {
      byte[] buffer = new byte[1 + random.nextInt(30_000)];
      int count = held.read(buffer, 0, buffer.length);
      if (count < 0) {
        assertEquals(-1, held.read());
        return found.toByteArray();
      }
      found.write(buffer, 0, count);
    }
  }

  private static byte[] stored(Held held) throws IOException {
    ByteArrayOutputStream found = new ByteArrayOutputStream();
    byte[] buffer = new byte[5000];
    try (InputStream in = held.stored()) {
      for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
        found.write(buffer, 0, count);
      }
    }
    return found.toByteArray();
  }

  @Test
  void whatIsWrittenIsReadWhereverItIs() throws IOException {
    Pool pool = pool(folder);
    for (int turn = 0; turn < 100; turn++) {
      Random random = new Random(turn);
      byte[] all = bytes(random);
      long granted = random.nextInt(4) == 0 ? 0 : random.nextInt(450_000);
      assertTrue(pool.reserve(granted));
      Run run = new Run(pool, Collections.singletonList(1), 1);
      RunWriter out = new RunWriter(run, granted);
      write(out, all, random);
      out.close();
      run.end(out.written(), all.length);
      String what = "turn " + turn;
      assertEquals(all.length, run.length(), what);
      assertArrayEquals(all, stored(run), what);
      assertTrue(pool.used() <= Math.min(granted, all.length + (16 << 10)), what);
      if (random.nextBoolean()) {
        synchronized (pool) {
          long before = run.inMemory();
          long moved = run.park(random.nextInt(200_000));
          assertEquals(before - moved, run.inMemory(), what);
        }
        assertArrayEquals(all, stored(run), what);
      }
      if (random.nextBoolean()) {
        assertArrayEquals(all, rest(run, random), what);
      } else if (all.length > 0) {
        assertEquals(all[0] & 0xff, run.read(), what);
      }
      run.close();
      run.close();
      assertEquals(0, pool.used(), what);
      assertEquals(ahead, pool.free(), what);
    }
    assertTrue(pool.peak() <= 1 << 20);
    assertTrue(spill.written() > 0);
  }

  @Test
  void diskThatRefusesBytesGetsNoMore() throws IOException {
    Path file = Files.write(folder.resolve("file"), new byte[1]);
    Pool pool = pool(file);
    long granted = 50_000;
    assertTrue(pool.reserve(granted));
    Run run = new Run(pool, Arrays.asList(1, 2), 1);
    RunWriter out = new RunWriter(run, granted);
    assertThrows(IOException.class, () -> write(out, new byte[200_000], new Random(1)));
    out.abandon();
    run.close();
    assertTrue(pool.diskFails());
    assertEquals(0, pool.used());
    assertEquals(ahead, pool.free());
    IOException error = assertThrows(IOException.class, () -> pool.spill(new byte[1], 1));
    assertTrue(error.getMessage().contains("refused"), error::toString);
  }

  @Test
  void noMoreIsReservedThanThereIs() throws IOException {
    Pool pool = pool(folder);
    assertFalse(pool.reserve(ahead + 1));
    assertTrue(pool.reserve(ahead));
    assertFalse(pool.reserve(1));
    pool.release(ahead, ahead);
    assertEquals(0, pool.used());
  }
}
