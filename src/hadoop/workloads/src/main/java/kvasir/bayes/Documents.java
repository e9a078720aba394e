package kvasir.bayes;

import java.util.SplittableRandom;
import kvasir.Randoms;
import kvasir.Zipf;

/**
 * Artificial documents with a label. Words are drawn by Zipf's law; a part of them from a ranking
 * that all labels share, the others from a ranking of the label's own.
 */
public final class Documents {
  /** Share of the words that tell something about the label. */
  static final double TELLING = 0.15;

  private final long seed;
  private final int labels;
  private final int meanWords;
  private final Zipf law;

  /**
   * Documents with the given number of labels, vocabulary and mean length.
   *
   * @param vocabulary number of different words
   */
  public Documents(int labels, int vocabulary, int meanWords, long seed) {
    this.labels = labels;
    this.meanWords = meanWords;
    this.seed = seed;
    law = new Zipf(vocabulary);
  }

  /** A document: the same number always gives the same one, as {@code label TAB words}. */
  public String line(long number) {
    SplittableRandom random = Randoms.of(seed, number);
    int label = random.nextInt(labels);
    int words = meanWords / 2 + random.nextInt(meanWords + 1);
    StringBuilder line = new StringBuilder(8 * words);
    line.append('c').append(label).append('\t');
    int shift = (int) ((long) (label + 1) * law.ranks() / (labels + 1));
    for (int i = 0; i < words; i++) {
      boolean telling = random.nextDouble() < TELLING;
      int word = law.rank(random.nextDouble());
      // The label's own ranking is the shared one, moved on.
      word = telling ? (word + shift) % law.ranks() : word;
      line.append(i == 0 ? "w" : " w").append(word);
    }
    return line.toString();
  }
}
