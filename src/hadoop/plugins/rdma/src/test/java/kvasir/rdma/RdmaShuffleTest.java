package kvasir.rdma;

import static kvasir.shuffle.Records.keys;
import static kvasir.shuffle.Records.rest;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import kvasir.shuffle.ShuffleMerges;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.MRConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class RdmaShuffleTest extends ShuffleMerges {
  RdmaShuffleTest() {
    super("kvasir.rdma", 2, RdmaShuffle::new);
  }

  @Override
  protected String peak() {
    return "Peak bytes in memory";
  }

  @Test
  void outputsOfAnyNumberAndSizeAreMerged() throws Exception {
    outputsAreMerged(
        10,
        1000,
        new Turn() {
          @Override
          protected int set(int number, Random random) {
            int memory = number % 3 == 0 ? 64 : 1;
            RdmaShuffleTest.this.set("memory-mb", memory);
            RdmaShuffleTest.this.set("chunk-kb", 1 << random.nextInt(9));
            return memory;
          }
        });
  }

  /** Stores outputs of 3 MB, of which the last map's comes late. */
  private List<String> manyTimesTheMemory() throws IOException {
    set("chunk-kb", 64);
    return lastIsLate(6, 1500);
  }

  @Test
  void whatHasNoRoomGoesToTheDiskWhileMapsRun() throws Exception {
    List<String> all = manyTimesTheMemory();
    assertEquals(all, rest(run(null)));
    shuffle.close();
    assertTrue(attempt.counter("Bytes spilled") > 500_000);
    assertTrue(attempt.counter("Peak bytes in memory") <= 1 << 20);
    assertFalse(stock.ran());
  }

  @Test
  void manySmallOutputsGoToTheDiskAsWell() throws Exception {
    List<String> all = lastIsLate(50, 150);
    assertEquals(all, rest(run(null)));
    shuffle.close();
    assertTrue(attempt.counter("Bytes spilled") > 500_000);
    assertTrue(attempt.counter("Peak bytes in memory") <= 1 << 20);
  }

  @Test
  void whatHasNoRoomWaitsOnItsServerWhenTheDiskIsNotThere() throws Exception {
    List<String> all = manyTimesTheMemory();
    conf.set(MRConfig.LOCAL_DIR, folder.resolve(output(0, 0).attempt()).toString());
    assertEquals(all, rest(run(null)));
    shuffle.close();
    assertEquals(0, attempt.counter("Bytes spilled"));
    assertTrue(attempt.counter("Peak bytes in memory") <= 1 << 20);
    assertFalse(stock.ran());
  }

  @Test
  void mergeBeginsWhileDataArrives() throws Exception {
    List<String> all = manyTimesTheMemory();
    List<TaskCompletionEvent> atOnce = new ArrayList<>();
    attempt.events.forEach(atOnce::addAll);
    attempt.events.clear();
    attempt.events.add(atOnce);
    RawKeyValueIterator records = run(null);
    long before = attempt.shuffled.getCounter();
    assertTrue(before < 2 << 20, "fetched before the first record: " + before);
    assertEquals(all, rest(records));
    shuffle.close();
    assertEquals(0, attempt.counter("Bytes spilled"));
  }

  @Test
  void buffersGrow() throws Exception {
    conf.setNumMapTasks(1);
    set("memory-mb", 64);
    set("chunk-kb", 1024);
    List<String> keys = keys(new Random(11), 12_000);
    outputs.put(output(0, 0), keys, null);
    succeeded(0, 0, server.port());
    assertEquals(keys, rest(run(null)));
    shuffle.close();
    long length = outputs.find(null, output(0, 0)).length();
    assertTrue(length > 2 << 20);
    assertTrue(attempt.counter("Buffers") <= 4 + 1 + length / (1 << 20));
  }

  @Test
  void fullHeapSendsWhatIsFetchedAheadToTheDisk() throws Exception {
    set("memory-mb", 64);
    set("chunk-kb", 64);
    List<String> all = allSucceed(4, 1500, map -> {});
    AtomicInteger asked = new AtomicInteger();
    RdmaShuffle<Text, Text> one =
        new RdmaShuffle<>(() -> stock, () -> asked.incrementAndGet() % 9 == 0);
    one.init(attempt.context(conf, null));
    assertEquals(all, rest(one.run()));
    one.close();
    assertTrue(attempt.counter("Bytes spilled") > 0);
    assertFalse(stock.ran());
  }

  @Test
  void settingThatCannotBeIsAnError() throws Exception {
    assertRefused(
        name("memory-mb"), name("chunk-kb"), name("tries"), name("poll-ms"), name("port-offset"));
  }
}
