package kvasir.graph;

import java.util.Arrays;

/** A growing array of numbers. */
final class Ints {
  private int[] values = new int[16];
  private int size;

  void add(int value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, size * 2);
    }
    values[size++] = value;
  }

  void add(int[] more) {
    for (int value : more) {
      add(value);
    }
  }

  void clear() {
    size = 0;
  }

  int[] toArray() {
    return Arrays.copyOf(values, size);
  }

  /** The different numbers, in order. */
  int[] distinct() {
    return Arrays.stream(values, 0, size).sorted().distinct().toArray();
  }
}
