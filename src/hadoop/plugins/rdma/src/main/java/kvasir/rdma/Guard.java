package kvasir.rdma;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import kvasir.shuffle.Heap;
import kvasir.shuffle.ShuffleMemory;
import kvasir.shuffle.SpillFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the memory of a reduce task's map outputs. Its monitor guards all of them.
 *
 * <p>Each output may hold its least, always: with that it can be merged. What is fetched ahead of
 * the merge shares the rest of the memory. When that is full, outputs wait on their servers, but
 * while maps still run, the largest are moved to the disk instead, so that the network is not idle;
 * they are as well when garbage collections leave the heap full. The disk's failure costs time
 * only.
 */
final class Guard {
  private static final Logger LOG = LoggerFactory.getLogger(Guard.class);

  private final ShuffleMemory memory;
  private final SpillFile spill;
  private final Heap heap;

  /** Outputs that want more memory than there is, in the order in which they have asked. */
  private final LinkedHashSet<Inflow> hungry = new LinkedHashSet<>();

  /** Outputs of which the first bytes have come, or that have failed. */
  private final ArrayDeque<Inflow> news = new ArrayDeque<>();

  private final Set<Inflow> open = new LinkedHashSet<>();
  private long limit;
  private long charged;
  private long used;
  private long peak;
  private long granted;
  private int incomplete;
  private boolean diskFails;
  private boolean stopped;

  /** Whether the heap had no room for what was granted. */
  private boolean pressed;

  Guard(ShuffleMemory memory, SpillFile spill, Heap heap) {
    this.memory = memory;
    this.spill = spill;
    this.heap = heap;
    this.limit = memory.ahead();
  }

  ShuffleMemory memory() {
    return memory;
  }

  SpillFile spill() {
    return spill;
  }

  synchronized long peak() {
    return peak;
  }

  /** Returns how many buffers were granted. */
  synchronized long granted() {
    return granted;
  }

  /** Grants nothing from now on. */
  synchronized void stop() {
    stopped = true;
    hungry.clear();
  }

  synchronized boolean isStopped() {
    return stopped;
  }

  synchronized void opened(Inflow inflow) {
    open.add(inflow);
    incomplete++;
  }

  synchronized void closed(Inflow inflow) {
    open.remove(inflow);
    hungry.remove(inflow);
  }

  /** Hears that an output will ask for no more. */
  synchronized void complete() {
    incomplete--;
  }

  /**
   * Returns how many bytes to fetch of an output: twice as many as the last time, a fair part of
   * what is left of the memory at most, and not a small rest for another time.
   */
  synchronized int size(int last, long rest) {
    int least = memory.least();
    long fair = Math.max(least, (limit - charged) / Math.max(1, incomplete));
    long size = Math.max(least, Math.min(Math.min(2L * last, memory.most()), fair));
    boolean allOfIt = rest <= size + size / 2;
    return (int) Math.min(rest, allOfIt ? Math.max(size, rest) : size);
  }

  /** Grants memory for what is fetched ahead, if there is as much. */
  synchronized boolean take(int bytes) {
    if (charged + bytes > limit) {
      return false;
    }
    charged += bytes;
    hold(bytes);
    return true;
  }

  /** Counts memory that an output may always have. */
  synchronized void hold(int bytes) {
    granted++;
    used += bytes;
    peak = Math.max(peak, used);
  }

  /** Returns memory that was granted; null, and it is taken back, when the heap has no room. */
  byte[] allocate(int bytes, int ahead) {
    try {
      return new byte[bytes];
    } catch (OutOfMemoryError e) {
      synchronized (this) {
        pressed = true;
        used -= bytes;
        charged -= ahead;
        limit = Math.min(limit, charged);
      }
      return null;
    }
  }

  /** Takes memory back, of which {@code ahead} bytes counted as fetched ahead. */
  synchronized void release(int bytes, int ahead) {
    used -= bytes;
    charged -= ahead;
    while (ahead > 0 && !hungry.isEmpty()) {
      Inflow first = hungry.iterator().next();
      hungry.remove(first);
      if (!first.fetchNext()) {
        break;
      }
    }
  }

  /** Has an output ask again when there is memory. */
  synchronized void later(Inflow inflow) {
    hungry.add(inflow);
  }

  synchronized void tell(Inflow inflow) {
    news.add(inflow);
    notifyAll();
  }

  /** Returns what has happened, after a while at most; null when nothing has. */
  synchronized Inflow await(long nanos) throws InterruptedException {
    if (news.isEmpty() && nanos > 0) {
      long ms = TimeUnit.NANOSECONDS.toMillis(nanos) + 1;
      wait(hungry.isEmpty() ? ms : Math.min(ms, 50));
    }
    return news.poll();
  }

  /** Moves outputs to the disk when others wait for memory. */
  void relieve() {
    synchronized (this) {
      if (hungry.isEmpty()) {
        return;
      }
    }
    park(limit / 2);
  }

  /** Moves half of what is in memory to the disk when the heap is full, and keeps to the rest. */
  void checkHeap() {
    long half;
    synchronized (this) {
      if (!pressed && !heap.isFull()) {
        return;
      }
      pressed = false;
      half = charged / 2;
      limit = Math.min(limit, half);
    }
    LOG.info("the heap is full: {} bytes of map outputs go to the disk", half);
    park(half);
  }

  /** Moves at least so many bytes to the disk if there are; called by the thread that merges. */
  private void park(long bytes) {
    long moved = 0;
    for (Part part : candidates()) {
      if (moved >= bytes || diskFails) {
        return;
      }
      try {
        part.position = spill.write(part.bytes, 0, part.length);
      } catch (IOException e) {
        LOG.warn("map outputs wait on their servers: the disk does not take them", e);
        diskFails = true;
        return;
      }
      int freed = part.bytes.length;
      moved += part.charged;
      part.bytes = null;
      release(freed, part.charged);
    }
  }

  /** Returns parts in memory, those of the largest outputs first, what is read next last. */
  private synchronized List<Part> candidates() {
    List<Inflow> largest = new ArrayList<>(open);
    largest.sort(Comparator.comparingLong(Inflow::inMemory).reversed());
    List<Part> found = new ArrayList<>();
    for (boolean next : new boolean[] {false, true}) {
      for (Inflow inflow : largest) {
        inflow.addMovable(found, next);
      }
    }
    return found;
  }
}
