package kvasir.rdma;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class PrefetchCacheTest {
  private static final int BLOCK = PrefetchCache.BLOCK;

  @TempDir Path folder;
  private PrefetchCache cache;

  @AfterEach
  void stop() {
    cache.close();
  }

  private byte[] add(String name, int bytes) throws IOException {
    byte[] content = new byte[bytes];
    new Random(bytes).nextBytes(content);
    Path file = folder.resolve(name);
    Files.write(file, content);
    cache.add(name, () -> FileChannel.open(file));
    return content;
  }

  /** Returns bytes from memory, waiting until they are there. */
  private byte[] taken(String name, int at, int count) throws Exception {
    ByteArrayOutputStream found = new ByteArrayOutputStream();
    WritableByteChannel to = Channels.newChannel(found);
    while (found.size() < count) {
      if (cache.transferTo(name, at + found.size(), count - found.size(), to) < 0) {
        Thread.sleep(5);
      }
    }
    return found.toByteArray();
  }

  @Test
  void filesComeFromMemoryInAnyOrder() throws Exception {
    cache = new PrefetchCache(8L * BLOCK);
    byte[] one = add("one", 3 * BLOCK + 17);
    byte[] other = add("other", 10);
    int middle = BLOCK + 100;
    assertArrayEquals(other, taken("other", 0, 10));
    assertArrayEquals(
        Arrays.copyOfRange(one, middle, one.length), taken("one", middle, one.length - middle));
    assertArrayEquals(Arrays.copyOf(one, middle), taken("one", 0, middle));
    assertEquals(one.length + 10, cache.fromMemory());
  }

  @Test
  void memoryIsBoundedAndUsedAgain() throws Exception {
    cache = new PrefetchCache(3L * BLOCK);
    byte[] large = add("large", 50 * BLOCK);
    byte[] next = add("next", 2 * BLOCK);
    assertArrayEquals(large, taken("large", 0, large.length));
    assertArrayEquals(next, taken("next", 0, next.length));
    assertEquals(3L * BLOCK, cache.peakBytes());
  }

  @Test
  void whatWasReadFromTheFileDoesNotHoldUpTheRest() throws Exception {
    cache = new PrefetchCache(BLOCK);
    add("first", 4 * BLOCK);
    byte[] second = add("second", BLOCK);
    taken("first", 0, 1);
    for (int block = 1; block < 4; block++) {
      cache.missed("first", (long) block * BLOCK, BLOCK);
    }
    // Its first byte was given already.
    taken("first", 1, BLOCK - 1);
    assertArrayEquals(second, taken("second", 0, BLOCK));
  }

  @Test
  void jobThatIsOverMakesRoom() throws Exception {
    cache = new PrefetchCache(2L * BLOCK);
    add("attempt_1_0001_m_000000_0", 9 * BLOCK);
    byte[] other = add("attempt_1_0002_m_000000_0", 2 * BLOCK);
    taken("attempt_1_0001_m_000000_0", 0, 1);
    cache.forget("attempt_1_0001_");
    assertArrayEquals(other, taken("attempt_1_0002_m_000000_0", 0, other.length));
    ByteArrayOutputStream none = new ByteArrayOutputStream();
    assertEquals(
        -1, cache.transferTo("attempt_1_0001_m_000000_0", 0, 1, Channels.newChannel(none)));
  }

  @Test
  void fileThatCannotBeReadIsLeftOut() throws Exception {
    cache = new PrefetchCache(2L * BLOCK);
    cache.add(
        "gone",
        () -> {
          throw new IOException("as the test wants it");
        });
    byte[] other = add("other", 100);
    assertArrayEquals(other, taken("other", 0, 100));
  }

  @Test
  void noMemoryIsNoError() throws Exception {
    cache = new PrefetchCache(0);
    add("one", 100);
    ByteArrayOutputStream none = new ByteArrayOutputStream();
    assertEquals(-1, cache.transferTo("one", 0, 100, Channels.newChannel(none)));
    cache.missed("one", 0, 100);
    assertTrue(cache.toString().contains("100 from files"), cache::toString);
  }
}
