package kvasir.text;

import java.util.SplittableRandom;
import kvasir.Randoms;
import kvasir.Zipf;

/** Artificial text: the words of a line are drawn by Zipf's law, each for itself. */
public final class Lines {
  private final long seed;
  private final int meanWords;
  private final Zipf law;

  /**
   * Text of the given vocabulary and mean number of words in a line.
   *
   * @param vocabulary number of different words
   */
  public Lines(int vocabulary, int meanWords, long seed) {
    this.law = new Zipf(vocabulary);
    this.meanWords = meanWords;
    this.seed = seed;
  }

  /** A line of a file: the same numbers always give the same one. */
  public String line(long file, long number) {
    SplittableRandom random = Randoms.of(seed ^ Randoms.mix(file), number);
    int words = meanWords / 2 + random.nextInt(meanWords + 1);
    StringBuilder line = new StringBuilder(8 * words);
    for (int i = 0; i < words; i++) {
      line.append(i == 0 ? "w" : " w").append(law.rank(random.nextDouble()));
    }
    return line.toString();
  }
}
