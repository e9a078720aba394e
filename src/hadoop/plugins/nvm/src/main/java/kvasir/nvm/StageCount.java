package kvasir.nvm;

/**
 * Where the time of a map went: nanoseconds of the thread that runs it, summed over the job's maps,
 * and the bytes that the kernel counted. {@link Stages} defines each of them.
 */
public enum StageCount {
  /** Reading the input: in the job's record reader. */
  READ_NS,
  /** Applying the map function: neither reading nor handing over an output record. */
  MAP_NS,
  /** Partitioning and serialising output records. */
  COLLECT_NS,
  /** Waiting until output records are spilled. */
  SPILL_NS,
  /** Making one sorted output of the spills. */
  MERGE_NS,
  /** From the start of the collector to its end: what the five stages share. */
  TOTAL_NS,
  /** From the start of the task's Java to the start of the collector. */
  START_NS,
  /** Sorting and writing spills, most of it while the map goes on. */
  SPILL_THREAD_NS,
  /** What the task gave to block devices until all was spilled, bytes: spills and its log. */
  DISK_SPILL_BYTES,
  /** What the task gave to block devices in all, bytes: also the merged output. */
  DISK_WRITE_BYTES,
  /** Length of the merged output. */
  OUTPUT_BYTES
}
