package kvasir.homr;

import static kvasir.shuffle.Records.rest;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import kvasir.shuffle.Heap;
import kvasir.shuffle.ShuffleFixture;
import kvasir.transport.MapOutput;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Shows what overlaps by what waits for what: where phases did not overlap, these tests would not
 * end.
 */
@Timeout(120)
class OverlapTest extends ShuffleFixture {
  private static final int LEAST = 4 << 10;
  private final Gate gate = new Gate();
  private HomrShuffle<Text, Text> one;

  OverlapTest() {
    super("kvasir.homr", 1, HomrShuffle::new);
  }

  private RawKeyValueIterator run(Runnable eachTurn) throws Exception {
    Thread here = Thread.currentThread();
    Heap heap =
        () -> {
          if (Thread.currentThread() == here) {
            eachTurn.run();
          }
          return false;
        };
    one = new HomrShuffle<>(() -> stock, heap, gate::of);
    one.init(attempt.context(conf, null));
    return one.run();
  }

  /** Stores the output of a map: {@code count} short records. */
  private List<String> put(int map, int count) throws IOException {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      keys.add(String.format(Locale.ROOT, "%06d-%d", i, map));
    }
    outputs.put(output(map, 0), keys, null);
    return keys;
  }

  @Test
  void outputsAreMergedBeforeTheLastMapEnds() throws Exception {
    int maps = 5;
    conf.setNumMapTasks(maps);
    set("memory-mb", 8);
    set("merge-outputs", 4);
    List<String> all = new ArrayList<>();
    for (int map = 0; map < maps; map++) {
      all.addAll(put(map, 3000));
    }
    Collections.sort(all);
    for (int map = 0; map < maps - 1; map++) {
      succeeded(map, 0, server.port());
    }
    gate.open();
    AtomicBoolean ended = new AtomicBoolean();
    RawKeyValueIterator records =
        run(
            () -> {
              if (one.mergesEnded() > 0 && ended.compareAndSet(false, true)) {
                succeeded(maps - 1, 0, server.port());
              }
            });
    assertEquals(all, rest(records));
    one.close();
    assertTrue(attempt.counter("Merges while maps ran") > 0);
    long merged = attempt.counter("Bytes merged while maps ran");
    assertTrue(merged > outputs.find(null, output(0, 0)).length() * 3, () -> merged + " bytes");
    assertEquals(0, attempt.counter("Bytes spilled"));
    assertEquals(0, attempt.spilled.getCounter());
    assertFalse(stock.ran());
  }

  @Test
  void recordsAreReducedBeforeTheOutputsHaveArrived() throws Exception {
    int maps = 4;
    conf.setNumMapTasks(maps);
    List<String> all = new ArrayList<>();
    for (int map = 0; map < maps; map++) {
      all.addAll(put(map, 3000));
      succeeded(map, 0, server.port());
    }
    Collections.sort(all);
    RawKeyValueIterator records = run(() -> {});
    for (int i = 0; i < 20; i++) {
      // The gate is shut: there is nothing but the first bytes of each.
      assertTrue(records.next());
    }
    assertEquals(maps * LEAST, attempt.shuffled.getCounter());
    assertTrue(gate.waiting() > 0);
    gate.open();
    assertEquals(all.subList(20, all.size()), rest(records));
    one.close();
    long length = outputs.find(null, output(0, 0)).length();
    assertEquals(
        maps * (length - LEAST), attempt.counter("Bytes that came while records were reduced"));
    assertFalse(stock.ran());
  }

  @Test
  void smallestOutputIsWholeFirstWhileMapsRun() throws Exception {
    int maps = 4;
    conf.setNumMapTasks(maps);
    set("memory-mb", 8);
    set("fetches", 1);
    int[] sizes = {6000, 1500, 3000};
    long sum = 0;
    for (int map = 0; map < sizes.length; map++) {
      put(map, sizes[map]);
      succeeded(map, 0, server.port());
      sum += outputs.find(null, output(map, 0)).length();
    }
    put(3, 1);
    long three = sum;
    AtomicBoolean opened = new AtomicBoolean();
    AtomicBoolean ended = new AtomicBoolean();
    RawKeyValueIterator records =
        run(
            () -> {
              long come = attempt.shuffled.getCounter();
              if (come == 3 * LEAST && opened.compareAndSet(false, true)) {
                gate.open();
              }
              if (come == three && ended.compareAndSet(false, true)) {
                succeeded(3, 0, server.port());
              }
            });
    List<MapOutput> order = new ArrayList<>();
    for (MapOutput asked : gate.asked()) {
      if (order.isEmpty() || !order.get(order.size() - 1).equals(asked)) {
        order.add(asked);
      }
    }
    // Nothing was known of the others when the first was asked for.
    List<MapOutput> expected = new ArrayList<>();
    expected.add(output(0, 0));
    expected.add(output(1, 0));
    expected.add(output(2, 0));
    expected.add(output(0, 0));
    assertEquals(expected, order);
    rest(records);
    one.close();
  }
}
