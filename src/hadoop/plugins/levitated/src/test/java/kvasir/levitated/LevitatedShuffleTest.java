package kvasir.levitated;

import static kvasir.shuffle.Records.keys;
import static kvasir.shuffle.Records.rest;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import kvasir.shuffle.ReduceAttempt;
import kvasir.shuffle.ShuffleMerges;
import kvasir.transport.Settings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class LevitatedShuffleTest extends ShuffleMerges {
  LevitatedShuffleTest() {
    super("kvasir.levitated", 1, LevitatedShuffle::new);
  }

  @Override
  protected String peak() {
    return "Peak bytes of heads";
  }

  @Test
  void outputsOfAnyNumberAndSizeAreMerged() throws Exception {
    outputsAreMerged(
        6,
        600,
        new Turn() {
          @Override
          protected int set(int number, Random random) {
            return 1;
          }

          @Override
          protected void afterwards(ReduceAttempt reduce) {
            assertEquals(0, reduce.spilled.getCounter());
          }
        });
  }

  @Test
  void littleMemoryIsDividedAmongManyOutputs() throws Exception {
    int maps = 340;
    conf.setNumMapTasks(maps);
    Random random = new Random(15);
    List<String> all = new ArrayList<>();
    for (int map = 0; map < maps; map++) {
      List<String> keys = keys(random, 100);
      outputs.put(output(map, 0), keys, null);
      succeeded(map, 0, server.port());
      all.addAll(keys);
    }
    Collections.sort(all);
    assertEquals(all, rest(run(null)));
    shuffle.close();
    assertTrue(attempt.counter("Peak bytes of heads") <= 1 << 20);
    assertFalse(stock.ran());
  }

  @Test
  void settingThatCannotBeIsAnError() throws Exception {
    assertRefused(
        Settings.TRIES,
        name("memory-mb"),
        name("chunk-kb"),
        name("tries"),
        name("poll-ms"),
        name("attempts"));
  }
}
