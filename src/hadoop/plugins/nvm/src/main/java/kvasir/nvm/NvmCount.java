package kvasir.nvm;

/** What maps did with the memory for their spills, summed over the job's maps. */
public enum NvmCount {
  /** Spills. */
  SPILLS,
  /** Bytes that the spills' regions have at the end. */
  REGION_BYTES,
  /** Writes of records, or of blocks of a codec. */
  WRITES,
  /** Bytes that they wrote. */
  WRITTEN_BYTES,
  /** Delay that the device model asks for, nanoseconds. */
  WRITE_ASKED_NS,
  /** Delay that there was, nanoseconds. */
  WRITE_GOT_NS,
  /** Reads of parts of spills. */
  READS,
  /** Bytes that they read. */
  READ_BYTES,
  /** Delay that the device model asks for, nanoseconds. */
  READ_ASKED_NS,
  /** Delay that there was, nanoseconds. */
  READ_GOT_NS,
  /** Calibrated time of a write to DRAM, picoseconds per byte; to be divided by the maps. */
  DRAM_PS_PER_BYTE
}
