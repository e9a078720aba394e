package kvasir.homr;

import static kvasir.shuffle.Records.keys;
import static kvasir.shuffle.Records.rest;
import static kvasir.shuffle.ReduceAttempt.event;
import static kvasir.shuffle.ReduceAttempt.map;
import static org.apache.hadoop.mapred.TaskCompletionEvent.Status.OBSOLETE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import kvasir.shuffle.Heap;
import kvasir.shuffle.ReduceAttempt;
import kvasir.shuffle.ShuffleMerges;
import kvasir.shuffle.TransportShuffle;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.MRConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class HomrShuffleTest extends ShuffleMerges {
  HomrShuffleTest() {
    super("kvasir.homr", 1, HomrShuffle::new);
  }

  @Override
  protected String peak() {
    return "Peak bytes in memory";
  }

  @Test
  void outputsOfAnyNumberAndSizeAreMerged() throws Exception {
    AtomicLong merges = new AtomicLong();
    outputsAreMerged(
        12,
        1000,
        new Turn() {
          @Override
          protected int set(int number, Random random) {
            int memory = number % 3 == 0 ? 64 : 1;
            HomrShuffleTest.this.set("memory-mb", memory);
            HomrShuffleTest.this.set("chunk-kb", 1 << random.nextInt(9));
            HomrShuffleTest.this.set("merge-outputs", 2 + random.nextInt(4));
            HomrShuffleTest.this.set("fetches", 1 + random.nextInt(4));
            return memory;
          }

          @Override
          protected void afterRecords(TransportShuffle<Text, Text> one) {
            assertEquals(0, ((HomrShuffle<Text, Text>) one).used());
          }

          @Override
          protected void afterwards(ReduceAttempt reduce) {
            merges.addAndGet(reduce.counter("Merges while maps ran"));
          }
        });
    assertTrue(merges.get() > 10, () -> "it has merged nothing while maps ran");
  }

  /** Stores outputs of 3 MB, of which the last map's comes late. */
  private List<String> manyTimesTheMemory() throws IOException {
    set("chunk-kb", 64);
    return lastIsLate(6, 1300);
  }

  @Test
  void whatHasNoRoomIsMergedToTheDiskWhileMapsRun() throws Exception {
    List<String> all = manyTimesTheMemory();
    assertEquals(all, rest(run(null)));
    shuffle.close();
    assertTrue(attempt.counter("Bytes spilled") > 800_000);
    assertTrue(attempt.spilled.getCounter() > 2000);
    assertTrue(attempt.counter("Merges while maps ran") > 1);
    assertTrue(attempt.counter("Peak bytes in memory") <= 1 << 20);
    assertFalse(stock.ran());
  }

  @Test
  void whatHasNoRoomWaitsOnItsServerWhenTheDiskIsNotThere() throws Exception {
    List<String> all = manyTimesTheMemory();
    conf.set(MRConfig.LOCAL_DIR, folder.resolve(output(0, 0).attempt()).toString());
    assertEquals(all, rest(run(null)));
    shuffle.close();
    assertEquals(0, attempt.counter("Bytes spilled"));
    assertTrue(attempt.counter("Peak bytes in memory") <= 1 << 20);
    assertTrue(attempt.reported.isEmpty());
    assertFalse(stock.ran());
  }

  @Test
  void nothingGoesToTheDiskWhileRecordsAreReduced() throws Exception {
    List<String> all = manyTimesTheMemory();
    // All maps have ended when the reduce begins.
    attempt.events.removeIf(List::isEmpty);
    for (int i = attempt.events.size() - 1; i > 0; i--) {
      List<TaskCompletionEvent> both = new ArrayList<>(attempt.events.get(i - 1));
      both.addAll(attempt.events.remove(i));
      attempt.events.set(i - 1, both);
    }
    assertEquals(all, rest(run(null)));
    shuffle.close();
    assertEquals(0, attempt.counter("Bytes spilled"));
    assertTrue(attempt.counter("Bytes that came while records were reduced") > 1_000_000);
  }

  /** Returns a heap that is watched by the thread of the test only, for what it does besides. */
  private static Heap eachTurn(Runnable task) {
    Thread here = Thread.currentThread();
    return () -> {
      if (Thread.currentThread() == here) {
        task.run();
      }
      return false;
    };
  }

  @Test
  void corruptOutputIsTakenFromTheMapThatRunsAgain() throws Exception {
    conf.setNumMapTasks(2);
    set("tries", 1000);
    List<String> keys = keys(new Random(1), 600);
    outputs.put(output(0, 0), keys.subList(0, 300), null);
    outputs.damage(output(0, 0), 0.5);
    outputs.put(output(0, 1), keys.subList(0, 300), null);
    outputs.put(output(1, 0), keys.subList(300, 600), null);
    succeeded(0, 0, server.port());
    AtomicBoolean again = new AtomicBoolean();
    Heap heap =
        eachTurn(
            () -> {
              if (attempt.reported.size() >= 2 && again.compareAndSet(false, true)) {
                attempt.events.add(
                    Collections.singletonList(event(0, 0, OBSOLETE, beside(server.port()))));
                succeeded(0, 1, server.port());
                succeeded(1, 0, server.port());
              }
            });
    HomrShuffle<Text, Text> one = new HomrShuffle<>(() -> stock, heap, UnaryOperator.identity());
    one.init(attempt.context(conf, null));
    assertEquals(keys, rest(one.run()));
    one.close();
    assertEquals(Collections.nCopies(attempt.reported.size(), map(0, 0)), attempt.reported);
    assertFalse(stock.ran());
  }

  @Test
  void outputThatWasMergedIsNotFetchedAgainWhenItsHostIsLost() throws Exception {
    conf.setNumMapTasks(3);
    set("memory-mb", 8);
    set("merge-outputs", 2);
    List<String> keys = keys(new Random(2), 900);
    for (int map = 0; map < 3; map++) {
      outputs.put(output(map, 0), keys.subList(300 * map, 300 * map + 300), null);
    }
    succeeded(0, 0, server.port());
    succeeded(1, 0, server.port());
    AtomicBoolean once = new AtomicBoolean();
    List<HomrShuffle<Text, Text>> made = new ArrayList<>();
    Heap heap =
        eachTurn(
            () -> {
              if (made.get(0).mergesEnded() > 0 && once.compareAndSet(false, true)) {
                attempt.events.add(
                    Collections.singletonList(event(0, 0, OBSOLETE, beside(server.port()))));
                succeeded(2, 0, server.port());
              }
            });
    made.add(new HomrShuffle<>(() -> stock, heap, UnaryOperator.identity()));
    made.get(0).init(attempt.context(conf, null));
    assertEquals(keys, rest(made.get(0).run()));
    made.get(0).close();
    assertFalse(stock.ran());
  }

  @Test
  void fullHeapSendsWhatIsFetchedAheadToTheDisk() throws Exception {
    set("memory-mb", 64);
    set("chunk-kb", 64);
    List<String> all = allSucceed(4, 1500, map -> quiet(5));
    AtomicInteger asked = new AtomicInteger();
    HomrShuffle<Text, Text> one =
        new HomrShuffle<>(
            () -> stock, () -> asked.incrementAndGet() % 9 == 0, UnaryOperator.identity());
    one.init(attempt.context(conf, null));
    assertEquals(all, rest(one.run()));
    assertEquals(0, one.used());
    one.close();
    assertTrue(attempt.counter("Bytes spilled") > 0);
    assertFalse(stock.ran());
  }

  @Test
  void settingThatCannotBeIsAnError() throws Exception {
    assertRefused(
        name("memory-mb"),
        name("chunk-kb"),
        name("tries"),
        name("poll-ms"),
        name("merge-outputs"),
        name("fetches"),
        name("fetch-ms"),
        name("attempts"));
  }
}
