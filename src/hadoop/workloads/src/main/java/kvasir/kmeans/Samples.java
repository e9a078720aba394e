package kvasir.kmeans;

import java.util.SplittableRandom;
import kvasir.Randoms;

/**
 * Artificial samples around a few places, as HiBench has them: the places are uniform in a cube,
 * the samples nearly normal around them. Coordinates are whole multiples of 1 / {@link #GRID}, so
 * that sums of them are exact whatever their order.
 */
public final class Samples {
  /** Steps of a coordinate in 1. */
  static final double GRID = 1024;

  private static final double SIDE = 1000;
  private static final double DEVIATION = 50;

  /** Uniform numbers whose sum is nearly normal, with variance 1. */
  private static final int SUMMANDS = 12;

  private final long seed;
  private final double[][] places;

  /** Samples around the given number of places. */
  public Samples(int clusters, int dimensions, long seed) {
    this.seed = seed;
    places = new double[clusters][dimensions];
    for (int i = 0; i < clusters; i++) {
      SplittableRandom random = Randoms.of(seed + 1, i);
      for (int d = 0; d < dimensions; d++) {
        places[i][d] = SIDE * random.nextDouble();
      }
    }
  }

  /** A sample: the same number always gives the same one. */
  public double[] sample(long number) {
    SplittableRandom random = Randoms.of(seed, number);
    double[] place = places[random.nextInt(places.length)];
    double[] values = new double[place.length];
    for (int d = 0; d < values.length; d++) {
      double normal = -SUMMANDS / 2.0;
      for (int i = 0; i < SUMMANDS; i++) {
        normal += random.nextDouble();
      }
      values[d] = Math.rint((place[d] + DEVIATION * normal) * GRID) / GRID;
    }
    return values;
  }
}
