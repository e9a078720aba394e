package kvasir.nvm;

import java.io.IOException;
import java.util.function.LongSupplier;

/**
 * Makes the accesses of one direction take as long as on the device, by a spin after them: the
 * thread is kept busy, as the stalls of a store would keep it. What accesses owe is added up and
 * spun for together once it is much longer than a look at the clock, and a spin that was too long
 * is taken off the next one. One thread uses it at a time.
 */
final class Delay {
  /** Time owed that is spun for at once, nanoseconds. */
  private static final long QUANTUM = 5_000;

  /** The same where other tasks must be asked, which takes microseconds. */
  private static final long SHARED_QUANTUM = 50_000;

  /**
   * Most that the next spins are shortened by, nanoseconds. Up to this a spin ends late because the
   * processor was interrupted, on a virtual machine for tens of microseconds; more is another
   * thread's turn, which the device would not have waited for.
   */
  private static final long CREDIT = 200_000;

  private final LongSupplier clock;
  private final DeviceState shared;
  private final double perByte;
  private final double latency;
  private final double dram;
  private final int granularity;
  private final boolean free;
  private final long quantum;

  private long next = -1;
  private double service;
  private double took;
  private double ahead;

  private long accesses;
  private long bytes;
  private double asked;
  private long got;

  /**
   * Sets up a direction.
   *
   * @param dram what the access itself takes, nanoseconds a byte
   * @param shared books the device among the host's tasks; null where each has its own
   * @param clock nanoseconds
   */
  Delay(
      NvmSettings.Access access,
      int granularity,
      double dram,
      DeviceState shared,
      LongSupplier clock) {
    this.clock = clock;
    this.shared = shared;
    this.granularity = granularity;
    this.dram = dram;
    perByte = access.timesDram > 0 ? access.timesDram * dram : 1 / access.bandwidth;
    latency = access.latency;
    free = access.free();
    quantum = shared == null ? QUANTUM : SHARED_QUANTUM;
  }

  /**
   * Counts an access that was done, and waits for what it owes, at the latest at {@link #settle}.
   */
  void access(long position, int count) throws IOException {
    accesses++;
    bytes += count;
    if (free) {
      return;
    }
    long end = position + count;
    boolean goesOn = position == next;
    if (!goesOn) {
      service += latency;
    }
    if (granularity == 1) {
      service += count * perByte;
    } else {
      // An access that goes on shares the unit that the last one began.
      long first = goesOn ? (position + granularity - 1) / granularity : position / granularity;
      long past = (end + granularity - 1) / granularity;
      service += (past - first) * granularity * perByte;
    }
    took += count * dram;
    next = end;
    if (service - took >= quantum) {
      settle();
    }
  }

  /** Waits for all that is owed. */
  void settle() throws IOException {
    if (service == 0) {
      return;
    }
    long begin = clock.getAsLong();
    double delay =
        shared == null
            ? service - took
            : shared.reserve(begin - Math.round(took), Math.round(service)) - begin;
    service = 0;
    took = 0;
    if (delay <= 0) {
      return;
    }
    asked += delay;
    double target = delay - ahead;
    long passed;
    do {
      passed = clock.getAsLong() - begin;
    } while (passed < target);
    got += passed;
    // What is booked ends at a point in time, wherever its spin began.
    ahead = shared == null ? Math.min(passed - target, CREDIT) : 0;
  }

  /** Returns the accesses. */
  long accesses() {
    return accesses;
  }

  /** Returns the bytes accessed. */
  long bytes() {
    return bytes;
  }

  /** Returns the delay that was asked for, nanoseconds. */
  long asked() {
    return Math.round(asked);
  }

  /** Returns the delay that there was, nanoseconds. */
  long got() {
    return got;
  }
}
