package kvasir.graph;

import java.util.SplittableRandom;
import kvasir.Randoms;

/**
 * Stochastic Kronecker graph: the adjacency probabilities are a power of a 2 x 2 initiator.
 *
 * <p>An edge falls through the levels of that product: at each level it takes one of the four
 * quadrants with the probability that the initiator gives it (Leskovec et al., 2010).
 */
public final class Kronecker {
  /** The initiator that BigDataBench fitted to Google's web graph, row by row. */
  static final double[] GOOGLE = {0.8305, 0.5573, 0.4638, 0.3021};

  private final long seed;
  private final int scale;
  private final double[] limits = new double[3];

  /**
   * A graph of 2^scale vertices.
   *
   * @param scale 1 to 31
   */
  public Kronecker(int scale, long seed) {
    this.scale = scale;
    this.seed = seed;
    double sum = sum();
    double passed = 0;
    for (int i = 0; i < 3; i++) {
      passed += GOOGLE[i];
      limits[i] = passed / sum;
    }
  }

  private static double sum() {
    double sum = 0;
    for (double p : GOOGLE) {
      sum += p;
    }
    return sum;
  }

  /** Expected number of edges: the sum of all probabilities. */
  public long edges() {
    return Math.round(Math.pow(sum(), scale));
  }

  /**
   * One edge; the same number always gives the same edge, different ones may give the same.
   *
   * @return the source in the upper, the target in the lower 32 bits
   */
  public long edge(long number) {
    SplittableRandom random = Randoms.of(seed, number);
    long source = 0;
    long target = 0;
    for (int level = 0; level < scale; level++) {
      double u = random.nextDouble();
      int quadrant = u < limits[1] ? (u < limits[0] ? 0 : 1) : (u < limits[2] ? 2 : 3);
      source = source << 1 | quadrant >> 1;
      target = target << 1 | quadrant & 1;
    }
    return source << 32 | target;
  }
}
