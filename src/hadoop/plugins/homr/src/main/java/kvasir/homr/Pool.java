package kvasir.homr;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import kvasir.shuffle.Heap;
import kvasir.shuffle.ShuffleMemory;
import kvasir.shuffle.SpillFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the memory of a reduce task's map outputs and divides it. Its monitor guards all that is
 * held.
 *
 * <p>Each output may have its least, always: with that it can be merged. All else shares what is
 * left, by {@link Plan}, which is made anew when something arrives, is read or changes.
 */
final class Pool {
  private static final Logger LOG = LoggerFactory.getLogger(Pool.class);

  private final ShuffleMemory memory;
  private final SpillFile spill;
  private final Heap heap;
  private final Volume volume;
  private final int fetches;
  private final Rates rates = new Rates();

  /** Outputs of which more may come, in the order in which their maps have ended. */
  private final Set<Incoming> arriving = new LinkedHashSet<>();

  /** All that holds memory which could be given up. */
  private final Set<Held> held = new LinkedHashSet<>();

  private long limit;
  private long charged;
  private long used;
  private long peak;
  private long promised;
  private boolean pressed;
  private boolean reducing;
  private boolean diskFails;
  private boolean planning;
  private boolean again;
  private boolean stopped;

  Pool(ShuffleMemory memory, SpillFile spill, Heap heap, Volume volume, int fetches) {
    this.memory = memory;
    this.spill = spill;
    this.heap = heap;
    this.volume = volume;
    this.fetches = fetches;
    this.limit = memory.ahead();
  }

  ShuffleMemory memory() {
    return memory;
  }

  Rates rates() {
    return rates;
  }

  /** Returns the most bytes that were held at a time. */
  synchronized long peak() {
    return peak;
  }

  /** Returns the bytes that are held. */
  synchronized long used() {
    return used;
  }

  synchronized void opened(Held one) {
    held.add(one);
    if (one instanceof Incoming) {
      arriving.add((Incoming) one);
    }
  }

  /** Hears that no more of an output will come. */
  synchronized void ended(Held one) {
    if (one instanceof Incoming) {
      arriving.remove((Incoming) one);
    }
  }

  synchronized void closed(Held one) {
    ended(one);
    held.remove(one);
  }

  /** Says whether the reducer lacks nothing to begin, or has begun. */
  synchronized void stage(boolean ofReducing) {
    if (reducing != ofReducing) {
      reducing = ofReducing;
      plan();
    }
  }

  /** Asks for what is wanted next, as the plan says. */
  synchronized void plan() {
    if (planning) {
      again = true;
      return;
    }
    planning = true;
    try {
      do {
        again = false;
        follow();
      } while (again);
    } finally {
      planning = false;
    }
  }

  private void follow() {
    if (stopped) {
      return;
    }
    Map<Wish, Incoming> wishes = new LinkedHashMap<>();
    for (Incoming one : arriving) {
      wishes.put(one.wish(), one);
    }
    List<Wish> all = new ArrayList<>(wishes.keySet());
    long free = Math.max(0, limit - charged);
    Plan plan =
        reducing
            ? Plan.whileReducing(all, free, volume, fetches)
            : Plan.whileMapsRun(all, free, limit, volume, fetches);
    promised = plan.promised();
    pressed = plan.pressed();
    plan.admitted().forEach(wish -> wishes.get(wish).admit());
    for (Plan.Grant grant : plan.grants()) {
      if (!give(wishes.get(grant.wish), grant)) {
        return;
      }
    }
  }

  /** Gives memory to an output, which asks for as many bytes; returns whether there was some. */
  private boolean give(Incoming to, Plan.Grant grant) {
    if (!arriving.contains(to)) {
      // It has failed since the plan was made.
      return true;
    }
    byte[] room;
    try {
      room = new byte[grant.bytes];
    } catch (OutOfMemoryError e) {
      LOG.warn("there is no memory for {} bytes of {}", grant.bytes, to);
      limit = Math.min(limit, charged / 2);
      if (!grant.charged) {
        to.fail(new IOException("there is no memory for the next bytes of " + to, e));
      }
      return false;
    }
    int ahead = grant.charged ? grant.bytes : 0;
    charged += ahead;
    hold(grant.bytes);
    to.ask(room, ahead);
    return true;
  }

  /** Takes memory for bytes that are merged, if there is as much that is not promised. */
  synchronized boolean reserve(long bytes) {
    if (bytes > limit - charged - promised) {
      return false;
    }
    charged += bytes;
    hold(bytes);
    return true;
  }

  /** Counts memory that an output may always have. */
  synchronized void hold(long bytes) {
    used += bytes;
    peak = Math.max(peak, used);
  }

  /** Takes memory back, of which {@code ahead} bytes are not what an output may always have. */
  synchronized void release(long bytes, long ahead) {
    used -= bytes;
    charged -= ahead;
  }

  /** Returns the bytes of memory that are neither taken nor promised. */
  synchronized long free() {
    return limit - charged - promised;
  }

  /** Returns whether an output waits for memory that others hold. */
  synchronized boolean pressed() {
    return pressed;
  }

  /** Returns whether something is fetched into memory that has to be paid for. */
  synchronized boolean busy() {
    return arriving.stream().anyMatch(Incoming::isPaidFor);
  }

  /** Returns whether the disk has refused bytes: it gets no more. */
  synchronized boolean diskFails() {
    return diskFails;
  }

  /** Writes bytes to the spill file; returns where they are. */
  long spill(byte[] bytes, int count) throws IOException {
    if (diskFails()) {
      throw new IOException("the disk has refused bytes before");
    }
    try {
      return spill.write(bytes, 0, count);
    } catch (IOException e) {
      synchronized (this) {
        diskFails = true;
      }
      throw e;
    }
  }

  /** Reads bytes from the spill file. */
  void unspill(long from, byte[] into, int at, int count) throws IOException {
    spill.read(from, into, at, count);
  }

  /** Moves half of what is in memory to the disk when the heap is full, and keeps to the rest. */
  synchronized void checkHeap() {
    if (!heap.isFull()) {
      return;
    }
    long half = charged / 2;
    LOG.info("the heap is full: {} bytes of map outputs go to the disk", half);
    limit = Math.min(limit, half);
    List<Held> largest = new ArrayList<>(held);
    largest.sort(Comparator.comparingLong(Held::inMemory).reversed());
    for (Held one : largest) {
      try {
        half -= one.park(half);
      } catch (IOException e) {
        LOG.warn("map outputs stay in memory: the disk does not take them", e);
        return;
      }
    }
  }

  synchronized boolean isStopped() {
    return stopped;
  }

  /** Asks for nothing more, and takes nothing. */
  synchronized void stop() {
    stopped = true;
    arriving.clear();
    held.clear();
    notifyAll();
  }
}
