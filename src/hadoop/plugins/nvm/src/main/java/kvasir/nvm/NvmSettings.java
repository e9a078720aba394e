package kvasir.nvm;

import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;

/**
 * Job properties {@code kvasir.nvm.*}: where the memory for spills is, and what device it stands
 * for.
 */
final class NvmSettings {
  private static final String PREFIX = "kvasir.nvm.";
  static final String DIR = PREFIX + "dir";
  static final String DEFAULT_DIR = "/dev/shm";
  static final String CAPACITY = PREFIX + "capacity-mb";
  static final String MAPPING = PREFIX + "mapping-mb";
  static final String OUTPUT = PREFIX + "output";
  static final String GRANULARITY = PREFIX + "granularity-bytes";
  static final String SHARED = PREFIX + "shared";
  static final String DRAM = PREFIX + "dram-ps-per-byte";
  static final String TIMES = ".times-dram";
  static final String BANDWIDTH = ".bandwidth-mb-s";
  static final String LATENCY = ".latency-ns";
  static final String WRITE = PREFIX + "write";
  static final String READ = PREFIX + "read";
  private static final Set<String> KNOWN =
      new TreeSet<>(
          Arrays.asList(
              DIR,
              CAPACITY,
              MAPPING,
              OUTPUT,
              GRANULARITY,
              SHARED,
              DRAM,
              WRITE + TIMES,
              WRITE + BANDWIDTH,
              WRITE + LATENCY,
              READ + TIMES,
              READ + BANDWIDTH,
              READ + LATENCY));

  /** What accesses of one direction take on the device. */
  static final class Access {
    /** Multiple of the time on DRAM; 0 where bandwidth and latency are given instead. */
    final double timesDram;

    /** Bytes a nanosecond. */
    final double bandwidth;

    /**
     * Nanoseconds before the first byte of an access that does not go on where the last one ended.
     */
    final double latency;

    Access(double timesDram, double bandwidth, double latency) {
      this.timesDram = timesDram;
      this.bandwidth = bandwidth;
      this.latency = latency;
    }

    /** Returns whether the device is as fast as DRAM. */
    boolean free() {
      return timesDram == 1 && latency == 0;
    }
  }

  final Path dir;
  final long capacity;
  final int mapping;

  /** Whether the merged output is in memory as well, and not on the local directory. */
  final boolean output;

  final int granularity;
  final boolean shared;

  /** Time of a write to DRAM, picoseconds a byte; 0 to measure it. */
  final double dram;

  final Access write;
  final Access read;

  /** Reads the properties; raises IllegalArgumentException that names a wrong one. */
  NvmSettings(Configuration conf) {
    for (Map.Entry<String, String> entry : conf) {
      if (entry.getKey().startsWith(PREFIX) && !KNOWN.contains(entry.getKey())) {
        throw new IllegalArgumentException(
            entry.getKey() + ": no such property: allowed: " + String.join(", ", KNOWN));
      }
    }
    dir = Paths.get(conf.get(DIR, DEFAULT_DIR));
    capacity = (long) (number(conf, CAPACITY, 0, 0, 1 << 30) * (1 << 20));
    int mb = (int) number(conf, MAPPING, 1024, 1, 1024);
    if (Integer.bitCount(mb) != 1) {
      throw new IllegalArgumentException(MAPPING + ": found " + mb + ", expected a power of two");
    }
    mapping = mb << 20;
    String where = conf.getTrimmed(OUTPUT, "disk");
    if (!where.equals("disk") && !where.equals("memory")) {
      throw new IllegalArgumentException(
          OUTPUT + ": found '" + where + "', expected disk or memory");
    }
    output = where.equals("memory");
    granularity = (int) number(conf, GRANULARITY, 1, 1, 1 << 20);
    shared = conf.getBoolean(SHARED, false);
    dram = number(conf, DRAM, 0, 0, 1e6);
    write = access(conf, WRITE);
    read = access(conf, READ);
  }

  /** Returns whether accesses must be compared with DRAM, or with those of other tasks. */
  boolean emulates() {
    return !write.free() || !read.free();
  }

  private static Access access(Configuration conf, String direction) {
    boolean multiple = conf.get(direction + TIMES) != null;
    boolean own = conf.get(direction + BANDWIDTH) != null;
    if (multiple && own) {
      throw new IllegalArgumentException(
          direction + TIMES + " and " + direction + BANDWIDTH + ": name one of them, not both");
    }
    double latency = number(conf, direction + LATENCY, 0, 0, 1e9);
    double bandwidth = own ? number(conf, direction + BANDWIDTH, 0, 1, 1e9) / 1000 : 0;
    return new Access(own ? 0 : number(conf, direction + TIMES, 1, 1, 1e6), bandwidth, latency);
  }

  private static double number(
      Configuration conf, String name, double standard, double least, double most) {
    String text = conf.getTrimmed(name);
    if (text == null) {
      return standard;
    }
    try {
      double value = Double.parseDouble(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // The message below says it.
    }
    throw new IllegalArgumentException(
        String.format("%s: found '%s', expected a number from %s to %s", name, text, least, most));
  }
}
