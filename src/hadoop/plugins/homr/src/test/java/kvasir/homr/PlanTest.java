package kvasir.homr;

import static kvasir.homr.Wishes.LEAST;
import static kvasir.homr.Wishes.MOST;
import static kvasir.homr.Wishes.VOLUME;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PlanTest {
  private static final int TURNS = 5000;
  private static final long LIMIT = 300_000;

  /** Checks what holds for every plan. */
  private static void check(Plan plan, List<Wish> wishes, long free, int fetches, String what) {
    Map<Object, Integer> busy = new HashMap<>();
    Set<Wish> given = new HashSet<>();
    for (Wish wish : wishes) {
      if (wish.begun && wish.asking) {
        busy.merge(wish.server, 1, Integer::sum);
      }
    }
    long sum = 0;
    for (Plan.Grant grant : plan.grants()) {
      Wish wish = grant.wish;
      assertTrue(given.add(wish), what + ": asked for twice");
      assertFalse(wish.asking, what + ": asked for while an answer is awaited");
      sum += grant.charged ? grant.bytes : 0;
      if (!wish.begun) {
        assertEquals(LEAST, grant.bytes, what);
        assertFalse(grant.charged, what);
        continue;
      }
      assertTrue(grant.bytes <= wish.rest, what + ": more than there is");
      assertTrue(grant.bytes >= Math.min(LEAST, wish.rest), what + ": a crumb");
      assertTrue(grant.bytes < MOST + LEAST, what + ": too much at a time");
      if (wish.held > 0) {
        int now = busy.merge(wish.server, 1, Integer::sum);
        assertTrue(now <= fetches, what + ": too many at a time of a server");
      }
    }
    assertTrue(sum <= free, what + ": more than there is memory for");
    for (Wish wish : wishes) {
      assertTrue(wish.begun || wish.asking || given.contains(wish), what + ": no beginning");
    }
  }

  private static Map<Integer, Integer> byNumber(Plan plan) {
    Map<Integer, Integer> found = new TreeMap<>();
    plan.grants().forEach(grant -> found.put(grant.wish.number, grant.bytes));
    return found;
  }

  @Test
  void whileMapsRunWhatIsBegunBecomesWhole() {
    for (int turn = 0; turn < TURNS; turn++) {
      Random random = new Random(turn);
      long free = random.nextInt((int) LIMIT);
      int fetches = 1 + random.nextInt(4);
      List<Wish> wishes = Wishes.random(random, free);
      Plan plan = Plan.whileMapsRun(wishes, free, LIMIT, VOLUME, fetches);
      String what = "turn " + turn;
      check(plan, wishes, free, fetches, what);
      Set<Wish> admitted = new HashSet<>(plan.admitted());
      wishes.stream().filter(wish -> wish.admitted).forEach(admitted::add);
      long promised = admitted.stream().mapToLong(wish -> wish.rest).sum();
      assertEquals(promised, plan.promised(), what);
      assertTrue(promised <= free, what + ": memory is promised twice");
      for (Plan.Grant grant : plan.grants()) {
        assertTrue(!grant.wish.begun || admitted.contains(grant.wish), what);
      }
      boolean waits = false;
      for (Wish wish : wishes) {
        if (wish.begun && wish.rest > 0 && !admitted.contains(wish)) {
          assertTrue(wish.rest > free - promised, what + ": there is room for another");
          waits |= wish.rest <= LIMIT;
        }
      }
      assertEquals(waits, plan.pressed(), what);
      Collections.shuffle(wishes, random);
      Plan other = Plan.whileMapsRun(wishes, free, LIMIT, VOLUME, fetches);
      assertEquals(byNumber(plan), byNumber(other), what + ": it depends on the order");
    }
  }

  @Test
  void whileReducingNothingStarves() {
    for (int turn = 0; turn < TURNS; turn++) {
      Random random = new Random(turn);
      long free = random.nextInt(4) == 0 ? 0 : random.nextInt((int) LIMIT);
      int fetches = 1 + random.nextInt(4);
      List<Wish> wishes = Wishes.random(random, free);
      Plan plan = Plan.whileReducing(wishes, free, VOLUME, fetches);
      String what = "turn " + turn;
      check(plan, wishes, free, fetches, what);
      Map<Integer, Integer> found = byNumber(plan);
      for (Wish wish : wishes) {
        if (wish.begun && wish.held == 0 && wish.rest > 0) {
          assertTrue(found.containsKey(wish.number), what + ": the merge waits for ever");
        }
      }
      Collections.shuffle(wishes, random);
      Plan other = Plan.whileReducing(wishes, free, VOLUME, fetches);
      assertEquals(found, byNumber(other), what + ": it depends on the order");
    }
  }

  @Test
  void whileMapsRunTheSmallestRestComesFirst() {
    Wish large = Wish.ofRest(0, "a", 1e5, 50_000, 1000, false, false);
    Wish small = Wish.ofRest(1, "a", 1e5, 3000, 1000, false, false);
    Plan plan = Plan.whileMapsRun(Arrays.asList(large, small), 100_000, LIMIT, VOLUME, 1);
    assertEquals(Collections.singletonMap(1, 3000), byNumber(plan));
    assertEquals(53_000, plan.promised());
    assertFalse(plan.pressed());
  }

  @Test
  void whileMapsRunOutputsThatNeverFitWaitInPeace() {
    Wish huge = Wish.ofRest(0, "a", 1e5, LIMIT + 1, 1000, false, false);
    Plan plan = Plan.whileMapsRun(Collections.singletonList(huge), LIMIT, LIMIT, VOLUME, 1);
    assertTrue(plan.grants().isEmpty());
    assertFalse(plan.pressed());
  }

  @Test
  void whileReducingWhatRunsOutFirstComesFirst() {
    Wish full = Wish.ofRest(0, "a", 1e5, 50_000, 30_000, false, false);
    Wish empty = Wish.ofRest(1, "a", 1e5, 50_000, 2000, false, false);
    Plan plan = Plan.whileReducing(Arrays.asList(full, empty), 5000, VOLUME, 1);
    assertEquals(Collections.singletonMap(1, 5000), byNumber(plan));
  }

  @Test
  void whileReducingWhoHoldsItsShareAsksForNothing() {
    Wish full = Wish.ofRest(0, "a", 1e5, 50_000, 30_000, false, false);
    Wish empty = Wish.ofRest(1, "b", 1e5, 50_000, 2000, false, false);
    Plan plan = Plan.whileReducing(Arrays.asList(full, empty), 5000, VOLUME, 1);
    assertEquals(Collections.singleton(1), byNumber(plan).keySet());
  }
}
