package kvasir.transport;

import java.util.Objects;

/** Names what a map attempt has left for one reduce task. */
public final class MapOutput {
  private final String attempt;
  private final int reduce;

  /**
   * Names an output.
   *
   * @param attempt identifier of the map attempt, such as attempt_1_0001_m_000000_0
   * @param reduce number of the reduce task, from 0
   */
  public MapOutput(String attempt, int reduce) {
    this.attempt = Objects.requireNonNull(attempt);
    this.reduce = reduce;
  }

  public String attempt() {
    return attempt;
  }

  public int reduce() {
    return reduce;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MapOutput
        && attempt.equals(((MapOutput) other).attempt)
        && reduce == ((MapOutput) other).reduce;
  }

  @Override
  public int hashCode() {
    return 31 * attempt.hashCode() + reduce;
  }

  @Override
  public String toString() {
    return attempt + " for reduce " + reduce;
  }
}
