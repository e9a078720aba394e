package kvasir.homr;

import java.util.Collections;
import java.util.List;

/** Holds the records of several map outputs, merged, as a map output would. */
final class Run extends Held {
  private final List<Integer> maps;
  private final int level;

  /**
   * Makes an empty one.
   *
   * @param maps numbers of the maps
   * @param level how often its records were merged, at most
   */
  Run(Pool pool, List<Integer> maps, int level) {
    super(null, pool);
    this.maps = maps;
    this.level = level;
  }

  List<Integer> maps() {
    return Collections.unmodifiableList(maps);
  }

  int level() {
    return level;
  }

  /** Hears that all bytes are there, and that they are so many; see {@link #rawLength}. */
  void end(long bytes, long rawBytes) {
    setLengths(bytes, rawBytes);
    pool().opened(this);
  }

  @Override
  boolean waitForPart() {
    return false;
  }

  @Override
  public String toString() {
    return "what was merged of " + maps.size() + " map outputs";
  }
}
