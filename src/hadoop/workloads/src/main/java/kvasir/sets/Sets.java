package kvasir.sets;

import java.util.SplittableRandom;
import java.util.TreeSet;
import kvasir.Randoms;

/**
 * Artificial sets of items in order, as lines {@code item,item,...}. All items are of {@link
 * #WIDTH} digits: their order as text is that of their numbers. Sets share all but their last item
 * with {@link #SHARING} sets on average, and some are there more than once.
 */
public final class Sets {
  /** Characters of an item. */
  static final int WIDTH = 6;

  /** Sets that share all but their last item, on average. */
  static final int SHARING = 2;

  /** Items that can be the last of a set; all others are smaller. */
  private static final int LAST = 16;

  private static final int ITEMS = 1_000_000;

  private final long seed;
  private final long prefixes;
  private final int size;

  /**
   * Sets of the given number of items.
   *
   * @param sets how many there will be
   */
  public Sets(long sets, int size, long seed) {
    this.prefixes = Math.max(1, sets / SHARING);
    this.size = size;
    this.seed = seed;
  }

  /** A set: the same number always gives the same one. */
  public String line(long number) {
    SplittableRandom random = Randoms.of(seed, number);
    long prefix = random.nextLong(prefixes);
    int last = ITEMS - LAST + random.nextInt(LAST);
    SplittableRandom shared = Randoms.of(seed + 1, prefix);
    TreeSet<Integer> items = new TreeSet<>();
    while (items.size() < size - 1) {
      items.add(shared.nextInt(ITEMS - LAST));
    }
    items.add(last);
    StringBuilder line = new StringBuilder((WIDTH + 1) * size);
    for (int item : items) {
      // Zeros in front, without the cost of a format for each item.
      line.append(line.length() == 0 ? "" : ",").append(ITEMS + item);
      line.deleteCharAt(line.length() - WIDTH - 1);
    }
    return line.toString();
  }
}
