package kvasir;

import java.util.SplittableRandom;

/**
 * Random numbers that depend on a seed and an item's number only, not on which task makes the item.
 */
public final class Randoms {
  private Randoms() {}

  /** Random numbers of item {@code index}. */
  public static SplittableRandom of(long seed, long index) {
    return new SplittableRandom(mix(seed) ^ mix(index * 0x9E3779B97F4A7C15L + 1));
  }

  /** A bijection that spreads every bit over all 64 (the finalizer of MurmurHash3). */
  public static long mix(long z) {
    z = (z ^ (z >>> 33)) * 0xff51afd7ed558ccdL;
    z = (z ^ (z >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return z ^ (z >>> 33);
  }
}
