package kvasir.homr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import kvasir.homr.MergeRule.Item;
import org.junit.jupiter.api.Test;

class MergeRuleTest {
  private static Item item(int level, long length) {
    return new Item(null, level, length, length);
  }

  private static List<Long> lengths(List<Item> items) {
    return items.stream().map(item -> item.length).collect(Collectors.toList());
  }

  @Test
  void smallestOutputsAreMergedWhenThereAreEnough() {
    List<Item> items = new ArrayList<>(Arrays.asList(item(0, 7), item(0, 3), item(1, 1)));
    assertTrue(MergeRule.inMemory(items, 3, 1000).isEmpty());
    items.add(item(0, 5));
    items.add(item(0, 9));
    assertEquals(Arrays.asList(3L, 5L, 7L), lengths(MergeRule.inMemory(items, 3, 1000)));
  }

  @Test
  void thereHasToBeMemoryForTheResult() {
    List<Item> items = Arrays.asList(item(0, 3), item(0, 4));
    assertTrue(MergeRule.inMemory(items, 2, 6).isEmpty());
    assertEquals(2, MergeRule.inMemory(items, 2, 7).size());
  }

  @Test
  void nothingIsMergedInMemoryMoreThanTwice() {
    int merges = 0;
    List<Item> items = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      items.add(item(0, 1));
      for (List<Item> chosen = MergeRule.inMemory(items, 3, 1000);
          !chosen.isEmpty();
          chosen = MergeRule.inMemory(items, 3, 1000)) {
        assertEquals(1, chosen.stream().map(item -> item.level).distinct().count());
        items.removeAll(chosen);
        items.add(item(chosen.get(0).level + 1, MergeRule.length(chosen)));
        merges++;
      }
    }
    assertEquals(33 + 11, merges);
    assertEquals(100, MergeRule.length(items));
    assertTrue(items.stream().allMatch(item -> item.level <= 2));
  }

  @Test
  void everythingInMemoryGoesToTheDiskWhenOthersWait() {
    Item onDisk = new Item(null, 1, 500, 0);
    List<Item> items = Arrays.asList(item(0, 3), onDisk, item(2, 30));
    assertEquals(Arrays.asList(3L, 30L), lengths(MergeRule.toDisk(items, 100, true, true)));
    assertTrue(MergeRule.toDisk(items, 100, false, false).isEmpty());
  }

  @Test
  void littleGoesToTheDiskOnlyWhenNothingElseHelps() {
    List<Item> items = Collections.singletonList(item(0, 24));
    assertTrue(MergeRule.toDisk(items, 100, true, true).isEmpty());
    assertEquals(1, MergeRule.toDisk(items, 100, true, false).size());
    assertTrue(MergeRule.toDisk(Collections.emptyList(), 100, true, false).isEmpty());
  }
}
