package kvasir.homr;

import static kvasir.homr.Wishes.LEAST;
import static kvasir.homr.Wishes.MOST;
import static kvasir.homr.Wishes.VOLUME;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class VolumeTest {
  private static final int TURNS = 5000;

  private static List<Wish> arriving(Random random) {
    List<Wish> found = Wishes.random(random, Long.MAX_VALUE);
    found.removeIf(wish -> !wish.begun || wish.rest == 0 || wish.asking);
    return found;
  }

  private static double[] needs(List<Wish> wishes, long free, boolean reducing) {
    long left = wishes.stream().mapToLong(Wish::left).sum();
    long room = free + wishes.stream().mapToLong(wish -> wish.held).sum();
    return reducing
        ? Volume.needsWhileReducing(wishes, room, left)
        : VOLUME.needsWhileMapsRun(wishes);
  }

  private static Wish withRate(Wish wish, double rate) {
    return Wish.ofRest(
        wish.number, wish.server, rate, wish.rest, wish.held, wish.asking, wish.admitted);
  }

  @Test
  void volumesAreWithinTheirBounds() {
    for (int turn = 0; turn < TURNS; turn++) {
      Random random = new Random(turn);
      List<Wish> wishes = arriving(random);
      long free = random.nextInt(200_000);
      double[] needs = needs(wishes, free, random.nextBoolean());
      int[] volumes = VOLUME.of(wishes, needs, free);
      long sum = 0;
      for (int i = 0; i < volumes.length; i++) {
        Wish wish = wishes.get(i);
        sum += volumes[i];
        assertTrue(volumes[i] >= 0 && volumes[i] <= wish.rest, "turn " + turn);
        assertTrue(volumes[i] == 0 || volumes[i] >= Math.min(LEAST, wish.rest), "turn " + turn);
        double cap = Math.min(MOST, Math.max(LEAST, wish.rate * 0.25));
        assertTrue(volumes[i] < cap + LEAST, "turn " + turn + ": it takes too long");
        assertTrue(needs[i] > 0 || volumes[i] == 0, "turn " + turn + ": nobody needs it");
      }
      assertTrue(sum <= free, "turn " + turn);
    }
  }

  @Test
  void aFasterServerIsNeverAskedForLess() {
    for (int turn = 0; turn < TURNS; turn++) {
      Random random = new Random(turn);
      List<Wish> wishes = arriving(random);
      if (wishes.isEmpty() || wishes.get(0).rate == 0) {
        continue;
      }
      long free = random.nextInt(200_000);
      double[] needs = needs(wishes, free, random.nextBoolean());
      int which = random.nextInt(wishes.size());
      int before = VOLUME.of(wishes, needs, free)[which];
      Wish wish = wishes.get(which);
      wishes.set(which, withRate(wish, wish.rate * (1 + 3 * random.nextDouble())));
      int after = VOLUME.of(wishes, needs, free)[which];
      assertTrue(after >= before, "turn " + turn + ": " + before + ", then " + after);
    }
  }

  @Test
  void whatIsNeededMoreIsAskedForMore() {
    for (int turn = 0; turn < TURNS; turn++) {
      Random random = new Random(turn);
      List<Wish> wishes = arriving(random);
      if (wishes.isEmpty()) {
        continue;
      }
      long free = random.nextInt(200_000);
      double[] needs = needs(wishes, free, random.nextBoolean());
      int which = random.nextInt(wishes.size());
      int before = VOLUME.of(wishes, needs, free)[which];
      needs[which] *= 1 + 3 * random.nextDouble();
      int after = VOLUME.of(wishes, needs, free)[which];
      assertTrue(after >= before, "turn " + turn + ": " + before + ", then " + after);
    }
  }

  @Test
  void memoryIsDividedByRates() {
    Wish slow = Wish.ofRest(0, "a", 20_000, 90_000, 0, false, true);
    Wish fast = Wish.ofRest(1, "b", 60_000, 90_000, 0, false, true);
    int[] volumes = VOLUME.of(Arrays.asList(slow, fast), new double[] {1, 1}, 12_000);
    assertArrayEquals(new int[] {3000, 9000}, volumes);
  }

  @Test
  void noFetchTakesLongerThanItShould() {
    Wish slow = Wish.ofRest(0, "a", 20_000, 90_000, 0, false, true);
    int[] volumes = VOLUME.of(Collections.singletonList(slow), new double[] {1}, 1_000_000);
    assertArrayEquals(new int[] {5000}, volumes);
  }

  @Test
  void crumbsAreNotLeft() {
    Wish nearly = Wish.ofRest(0, "a", 20_000, 5999, 0, false, true);
    int[] volumes = VOLUME.of(Collections.singletonList(nearly), new double[] {1}, 1_000_000);
    assertArrayEquals(new int[] {5999}, volumes);
  }

  @Test
  void needsWhileReducingAreWhatIsLackingOfAnEvenPart() {
    List<Wish> wishes = new ArrayList<>();
    wishes.add(Wish.ofRest(0, "a", 1, 8000, 2000, false, false));
    wishes.add(Wish.ofRest(1, "a", 1, 30_000, 0, false, false));
    // Memory for 20000 of 40000 bytes: half of what is left of each.
    double[] needs = Volume.needsWhileReducing(wishes, 20_000, 40_000);
    assertArrayEquals(new double[] {3000, 15_000}, needs, 1e-6);
  }

  @Test
  void needsWhileMapsRunGrowTowardsTheEnd() {
    List<Wish> wishes = new ArrayList<>();
    wishes.add(Wish.ofRest(0, "a", 1, MOST, 0, false, true));
    wishes.add(Wish.ofRest(1, "a", 1, 1, 0, false, true));
    double[] needs = VOLUME.needsWhileMapsRun(wishes);
    assertEquals(0.5, needs[0], 1e-9);
    assertTrue(needs[1] > 0.99 && needs[1] < 1);
  }
}
