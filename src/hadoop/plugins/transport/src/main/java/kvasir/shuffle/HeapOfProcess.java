package kvasir.shuffle;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Watches the part of this process's heap with the objects that have lasted. */
public final class HeapOfProcess implements Heap {
  private static final double FULL = 0.85;

  private final MemoryPoolMXBean pool;
  private final List<GarbageCollectorMXBean> collectors = new ArrayList<>();
  private long seen;

  /** Begins to watch. */
  public HeapOfProcess() {
    pool = lastingPool().orElse(null);
    if (pool != null) {
      // Others leave what the pool says of its latest collection as it was.
      List<String> names = Arrays.asList(pool.getMemoryManagerNames());
      for (GarbageCollectorMXBean one : ManagementFactory.getGarbageCollectorMXBeans()) {
        if (names.contains(one.getName())) {
          collectors.add(one);
        }
      }
    }
  }

  /** Returns the pool with the objects that have lasted, if this Java says which one it is. */
  public static Optional<MemoryPoolMXBean> lastingPool() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(found -> found.getType() == MemoryType.HEAP && found.getCollectionUsage() != null)
        .filter(found -> found.getName().contains("Old") || found.getName().contains("Tenured"))
        .findFirst();
  }

  @Override
  public boolean isFull() {
    if (pool == null) {
      return false;
    }
    long collections = 0;
    for (GarbageCollectorMXBean one : collectors) {
      collections += Math.max(0, one.getCollectionCount());
    }
    if (collections == seen) {
      return false;
    }
    seen = collections;
    MemoryUsage left = pool.getCollectionUsage();
    return left != null && left.getMax() > 0 && left.getUsed() > FULL * left.getMax();
  }
}
