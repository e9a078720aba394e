package kvasir.nvm;

import java.lang.management.ManagementFactory;
import org.apache.hadoop.mapred.Reporter;

/**
 * Divides a map's time into five stages, as seen by the thread that runs it, so that they add up to
 * its time: what a spill's own thread does meanwhile costs the map nothing until it has to wait.
 *
 * <ul>
 *   <li>read: in the record reader that MapTask puts around the job's own;
 *   <li>map: elsewhere, outside of the collector;
 *   <li>collect: in the collector, partitioner and serialisers included, but for waiting; and its
 *       set-up;
 *   <li>spill: waiting in the collector until the buffer has room, and, after the last record,
 *       until all is spilled; with a single spill, writing it;
 *   <li>merge: from then on until the output is complete.
 * </ul>
 *
 * <p>The last two boundaries are read from a clock. Up to the last record, the thread's stack is
 * sampled, because a look at the clock for each record would cost a part of what it measures: at
 * least 500 times in each doubling of the time, each sample standing for the time to its
 * neighbours.
 */
final class Stages {
  private static final int READ = 0;
  private static final int MAP = 1;
  private static final int COLLECT = 2;
  private static final int SPILL = 3;
  private static final long SHORTEST_NS = 1_000_000;
  private static final long LONGEST_NS = 20_000_000;
  private static final int SAMPLES = 500;

  private final Reporter reporter;
  private final Thread map = Thread.currentThread();
  private final Thread spiller;
  private final Thread sampler = new Thread(this::sample, "stages of " + map.getName());
  private final long start;
  private final long diskStart = Kernel.diskWrites();
  private final double[] weights = new double[4];
  private double spillerWeight;
  private volatile boolean sampling = true;
  private long initialised;
  private long flushing;
  private volatile long spilled;
  private volatile long diskSpilled = -1;

  /**
   * Begins with the thread that runs the map.
   *
   * @param spiller Hadoop's thread for spills, whose time is sampled as well; or null
   */
  Stages(Reporter reporter, Thread spiller) {
    this(reporter, spiller, System.nanoTime());
  }

  Stages(Reporter reporter, Thread spiller, long start) {
    this.reporter = reporter;
    this.spiller = spiller;
    this.start = start;
    sampler.setDaemon(true);
  }

  /** The collector is ready: records may come. */
  void initialised() {
    initialised = System.nanoTime();
    sampler.start();
  }

  /** The last record has come. */
  void flushing() throws InterruptedException {
    flushing = System.nanoTime();
    end();
    sampler.join();
  }

  /** What is written from now on is the output, not a spill. */
  void outputBegins() {
    diskSpilled = Kernel.diskWrites();
  }

  /** All records are spilled. */
  void spilled() {
    if (diskSpilled < 0) {
      outputBegins();
    }
    spilled = System.nanoTime();
  }

  /**
   * The output is complete: reports the stages.
   *
   * @param length of the output, bytes
   * @param spilling time that the spills' thread worked, nanoseconds; -1 if it was sampled
   */
  void merged(long length, long spilling) {
    long now = System.nanoTime();
    double collecting = flushing - initialised;
    double all = weights[READ] + weights[MAP] + weights[COLLECT] + weights[SPILL];
    long[] times = new long[weights.length];
    for (int i = 0; i < times.length; i++) {
      times[i] = all > 0 ? Math.round(collecting * weights[i] / all) : 0;
    }
    if (all == 0) {
      times[MAP] = flushing - initialised;
    }
    times[COLLECT] += initialised - start;
    times[SPILL] += spilled - flushing;
    reporter.incrCounter(StageCount.READ_NS, times[READ]);
    reporter.incrCounter(StageCount.MAP_NS, times[MAP]);
    reporter.incrCounter(StageCount.COLLECT_NS, times[COLLECT]);
    reporter.incrCounter(StageCount.SPILL_NS, times[SPILL]);
    reporter.incrCounter(StageCount.MERGE_NS, now - spilled);
    reporter.incrCounter(StageCount.TOTAL_NS, now - start);
    long javaStart = ManagementFactory.getRuntimeMXBean().getStartTime();
    long before = (System.currentTimeMillis() - javaStart) * 1_000_000 - (now - start);
    reporter.incrCounter(StageCount.START_NS, Math.max(0, before));
    double sampled = all > 0 ? collecting * spillerWeight / all : 0;
    long spillThread = spilling < 0 ? Math.round(sampled) + spilled - flushing : spilling;
    reporter.incrCounter(StageCount.SPILL_THREAD_NS, spillThread);
    if (diskStart >= 0) {
      reporter.incrCounter(StageCount.DISK_SPILL_BYTES, diskSpilled - diskStart);
      reporter.incrCounter(StageCount.DISK_WRITE_BYTES, Kernel.diskWrites() - diskStart);
    }
    reporter.incrCounter(StageCount.OUTPUT_BYTES, length);
  }

  /** Ends the sampling. */
  void end() {
    sampling = false;
    sampler.interrupt();
  }

  private void sample() {
    long last = initialised;
    int before = -1;
    boolean spilledBefore = false;
    while (sampling) {
      int stage = stage(map.getStackTrace());
      boolean spills = spiller != null && spills(spiller.getStackTrace());
      long now = System.nanoTime();
      // Half of the time since the last sample was its stage's, half is this one's.
      double half = (now - last) / 2.0;
      weights[before < 0 ? stage : before] += half;
      weights[stage] += half;
      spillerWeight += (spilledBefore ? half : 0) + (spills ? half : 0);
      last = now;
      before = stage;
      spilledBefore = spills;
      long pause = Math.max(SHORTEST_NS, Math.min(LONGEST_NS, (now - initialised) / SAMPLES));
      try {
        Thread.sleep(pause / 1_000_000, (int) (pause % 1_000_000));
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Returns the stage of a thread that runs a map, from its stack. */
  static int stage(StackTraceElement[] stack) {
    for (StackTraceElement frame : stack) {
      String name = frame.getClassName();
      if (!name.startsWith("org.apache.hadoop.mapred.MapTask$")) {
        continue;
      }
      if (name.endsWith("RecordReader")) {
        return READ;
      }
      if (name.endsWith("OutputCollector")) {
        return waits(stack[0]) || spills(stack) ? SPILL : COLLECT;
      }
    }
    return MAP;
  }

  private static boolean waits(StackTraceElement top) {
    String method = top.getMethodName();
    return top.getClassName().equals("java.lang.Object") && method.startsWith("wait")
        || top.getClassName().endsWith(".Unsafe") && method.equals("park");
  }

  private static boolean spills(StackTraceElement[] stack) {
    for (StackTraceElement frame : stack) {
      String method = frame.getMethodName();
      if (method.equals("sortAndSpill") || method.equals("spillSingleRecord")) {
        return true;
      }
    }
    return false;
  }
}
