package kvasir.homr;

import java.util.List;

/**
 * Says how many bytes of each map output are asked for at a time.
 *
 * <p>Of output i, with F bytes of memory left:
 *
 * <pre>
 *   v_i = min(rest_i, c_i, max(least, F * w_i / (w_1 + ... + w_n)))
 *   c_i = min(most, max(least, r_i * T))     nothing takes longer than T at the rate seen
 *   w_i = r_i * n_i                          memory is for who fills it, and for what is needed
 *   n_i = 1 / (1 + rest_i / most)            while maps run: the nearer to its end the more
 *   n_i = max(0, R * left_i / L - held_i)    while reducing: what i lacks of its part of the memory
 * </pre>
 *
 * <p>R is the memory that there is for the outputs that still arrive, L their unread bytes, here
 * and elsewhere, left_i those of i, held_i what is here of these or asked for. It depends on
 * nothing but its arguments.
 */
final class Volume {
  private final int least;
  private final int most;
  private final double seconds;

  /**
   * Keeps to bounds in bytes, and to a time in seconds that a fetch should not take longer than.
   */
  Volume(int least, int most, double seconds) {
    this.least = least;
    this.most = most;
    this.seconds = seconds;
  }

  int least() {
    return least;
  }

  /** Returns n_i of each output while maps run. */
  double[] needsWhileMapsRun(List<Wish> wishes) {
    return wishes.stream().mapToDouble(wish -> 1 / (1 + (double) wish.rest / most)).toArray();
  }

  /** Returns n_i of each output while records are reduced: R is {@code room}, L {@code left}. */
  static double[] needsWhileReducing(List<Wish> wishes, long room, long left) {
    return wishes.stream()
        .mapToDouble(wish -> Math.max(0, (double) room * wish.left() / left - wish.held))
        .toArray();
  }

  /**
   * Returns v_i of each output. Earlier ones have it in full when {@code free} is too little for
   * all, and a rest below {@code least} is not left for another time.
   */
  int[] of(List<Wish> wishes, double[] needs, long free) {
    double all = 0;
    for (int i = 0; i < needs.length; i++) {
      all += weight(wishes.get(i), needs[i]);
    }
    int[] found = new int[needs.length];
    long now = free;
    for (int i = 0; i < needs.length; i++) {
      Wish wish = wishes.get(i);
      double weight = weight(wish, needs[i]);
      if (weight == 0) {
        continue;
      }
      long share = (long) Math.max(least, free * (weight / all));
      long volume = Math.min(now, Math.min(wish.rest, Math.min(cap(wish), share)));
      if (wish.rest - volume < least && wish.rest <= now) {
        volume = wish.rest;
      }
      if (volume >= Math.min(least, wish.rest)) {
        found[i] = (int) volume;
        now -= volume;
      }
    }
    return found;
  }

  /** Returns c_i. */
  private long cap(Wish wish) {
    return (long) Math.min(most, Math.max(least, wish.rate * seconds));
  }

  /** Returns w_i; where no rate was seen, none was seen of anybody. */
  private static double weight(Wish wish, double need) {
    return (wish.rate > 0 ? wish.rate : 1) * need;
  }
}
