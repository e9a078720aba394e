package kvasir.homr;

import java.util.HashMap;
import java.util.Map;

/**
 * Measures how fast servers answer. Guarded by the pool's monitor.
 *
 * <p>A server's rate is that of its latest answers: of all bytes and of all time in which it was
 * asked for some, a quarter is forgotten with each answer.
 */
final class Rates {
  private static final double KEPT = 0.75;
  private static final double NANOS = 1e9;

  private final Map<Object, Seen> servers = new HashMap<>();

  /** Hears that a server is asked for bytes, at a time in nanoseconds. */
  void asked(Object server, long now) {
    Seen seen = servers.computeIfAbsent(server, key -> new Seen());
    if (seen.asked++ == 0) {
      seen.since = now;
    }
  }

  /** Hears that a server has given so many bytes, none when it has failed. */
  void answered(Object server, int bytes, long now) {
    Seen seen = servers.get(server);
    seen.asked--;
    if (bytes > 0) {
      seen.bytes = KEPT * seen.bytes + bytes;
      seen.nanos = KEPT * seen.nanos + Math.max(1, now - seen.since);
    }
    seen.since = now;
  }

  /**
   * Returns the bytes that a server gives in a second; the others' mean when it has given none yet,
   * 0 when nobody has.
   */
  double of(Object server) {
    Seen seen = servers.get(server);
    if (seen != null && seen.bytes > 0) {
      return seen.rate();
    }
    return servers.values().stream()
        .filter(other -> other.bytes > 0)
        .mapToDouble(Seen::rate)
        .average()
        .orElse(0);
  }

  /** What a server has done. */
  private static final class Seen {
    private int asked;
    private long since;
    private double bytes;
    private double nanos;

    double rate() {
      return bytes / nanos * NANOS;
    }
  }
}
