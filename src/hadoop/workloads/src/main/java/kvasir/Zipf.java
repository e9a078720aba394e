package kvasir;

import java.util.Arrays;

/** Ranks drawn by Zipf's law: rank r, from 0, is as likely as 1 / (r + 1). */
public final class Zipf {
  private final double[] cumulative;

  /** A law over the given number of ranks. */
  public Zipf(int ranks) {
    cumulative = new double[ranks];
    double sum = 0;
    for (int rank = 0; rank < ranks; rank++) {
      sum += 1.0 / (rank + 1);
      cumulative[rank] = sum;
    }
    for (int rank = 0; rank < ranks; rank++) {
      cumulative[rank] /= sum;
    }
  }

  /** Number of ranks. */
  public int ranks() {
    return cumulative.length;
  }

  /**
   * The rank at a quantile.
   *
   * @param u from 0 to 1
   */
  public int rank(double u) {
    int found = Arrays.binarySearch(cumulative, u);
    return Math.min(found < 0 ? -found - 1 : found, cumulative.length - 1);
  }
}
