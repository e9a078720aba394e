package kvasir.homr;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Makes up what could be fetched. */
final class Wishes {
  static final int LEAST = 1000;
  static final int MOST = 16_000;
  static final Volume VOLUME = new Volume(LEAST, MOST, 0.25);

  private Wishes() {}

  /** Returns up to 30 outputs of up to 5 servers; admitted ones have memory within {@code free}. */
  static List<Wish> random(Random random, long free) {
    List<Wish> made = new ArrayList<>();
    double[] rates = random.doubles(5, 0, 200_000).toArray();
    boolean none = random.nextInt(5) == 0;
    long promised = 0;
    int count = random.nextInt(30);
    for (int i = 0; i < count; i++) {
      int server = random.nextInt(rates.length);
      boolean asking = random.nextInt(3) == 0;
      if (random.nextInt(5) == 0) {
        made.add(Wish.ofHead(i, server, asking));
        continue;
      }
      long rest =
          random.nextInt(4) == 0 ? 0 : random.nextInt(random.nextInt(3) == 0 ? 900 : 90_000);
      long held = random.nextInt(4) == 0 ? 0 : random.nextInt(40_000);
      boolean admitted = random.nextBoolean() && promised + rest <= free;
      promised += admitted ? rest : 0;
      double rate = none ? 0 : 1 + rates[server];
      // What is asked for counts as held.
      made.add(Wish.ofRest(i, server, rate, rest, asking ? held + 1 : held, asking, admitted));
    }
    return made;
  }
}
