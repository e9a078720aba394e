package kvasir.homr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class RatesTest {
  private static final long SECOND = 1_000_000_000L;
  private final Rates rates = new Rates();

  @Test
  void nothingIsKnownAtFirst() {
    rates.asked("a", 0);
    assertEquals(0, rates.of("a"));
    rates.answered("a", 0, SECOND);
    assertEquals(0, rates.of("a"), "a failure is no answer");
  }

  @Test
  void idleTimeDoesNotCount() {
    rates.asked("a", 5 * SECOND);
    rates.answered("a", 1000, 6 * SECOND);
    rates.asked("a", 20 * SECOND);
    rates.answered("a", 1000, 21 * SECOND);
    assertEquals(1000, rates.of("a"), 1e-6);
  }

  @Test
  void answersThatAreAwaitedTogetherShareTheTime() {
    rates.asked("a", 0);
    rates.asked("a", 0);
    rates.answered("a", 1000, SECOND);
    rates.answered("a", 1000, 2 * SECOND);
    assertEquals(1000, rates.of("a"), 1e-6);
  }

  @Test
  void latestAnswersCountMost() {
    long now = 0;
    for (int i = 0; i < 20; i++) {
      rates.asked("a", now);
      now += SECOND;
      rates.answered("a", i < 10 ? 1000 : 9000, now);
    }
    assertTrue(rates.of("a") > 8000, () -> "" + rates.of("a"));
  }

  @Test
  void othersStandForOneThatIsNotKnown() {
    rates.asked("a", 0);
    rates.answered("a", 1000, SECOND);
    rates.asked("b", 0);
    rates.answered("b", 3000, SECOND);
    rates.asked("c", 0);
    assertEquals(2000, rates.of("c"), 1e-6);
  }
}
