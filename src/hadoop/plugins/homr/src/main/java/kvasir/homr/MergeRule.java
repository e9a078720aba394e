package kvasir.homr;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Says what is merged before all maps have ended.
 *
 * <p>It depends on nothing but its arguments.
 */
final class MergeRule {
  /** No record is merged in memory more often than that before the reducer gets it. */
  private static final int LEVELS = 2;

  /** Less than this part of the memory does not go to the disk while more is on its way. */
  private static final int PART = 4;

  /** What could be merged: a map output that is whole, or what was merged before. */
  static final class Item {
    final Held held;
    final int level;
    final long length;
    final long inMemory;

    /** Describes it: how often it was merged, its bytes, and those that are in memory. */
    Item(Held held, int level, long length, long inMemory) {
      this.held = held;
      this.level = level;
      this.length = length;
      this.inMemory = inMemory;
    }
  }

  private MergeRule() {}

  /**
   * Returns what to merge in memory, nothing when there is too little of it: the {@code number}
   * smallest that were merged equally often, the least often first, if there is as much memory
   * again as they take.
   */
  static List<Item> inMemory(List<Item> items, int number, long free) {
    for (int level = 0; level < LEVELS; level++) {
      int wanted = level;
      List<Item> found =
          items.stream()
              .filter(item -> item.level == wanted && item.inMemory > 0)
              .sorted(Comparator.comparingLong(item -> item.length))
              .limit(number)
              .collect(Collectors.toCollection(ArrayList::new));
      if (found.size() == number && length(found) <= free) {
        return found;
      }
    }
    return Collections.emptyList();
  }

  /**
   * Returns what to merge to the disk when outputs wait for memory: all that is in memory, unless
   * that is little and more will be whole soon.
   */
  static List<Item> toDisk(List<Item> items, long memory, boolean pressed, boolean busy) {
    List<Item> found =
        items.stream().filter(item -> item.inMemory > 0).collect(Collectors.toList());
    long room = found.stream().mapToLong(item -> item.inMemory).sum();
    boolean worth = !busy || room >= memory / PART;
    return pressed && worth ? found : Collections.emptyList();
  }

  /** Returns the bytes of some items. */
  static long length(List<Item> items) {
    return items.stream().mapToLong(item -> item.length).sum();
  }
}
