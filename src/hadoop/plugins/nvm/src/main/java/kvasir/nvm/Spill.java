package kvasir.nvm;

/** Where the records of each partition are in a region, of one spill. */
final class Spill {
  private final long[] offsets;
  private final long[] lengths;
  private final long[] records;

  Spill(int partitions) {
    offsets = new long[partitions];
    lengths = new long[partitions];
    records = new long[partitions];
  }

  void put(int partition, long offset, long length, long count) {
    offsets[partition] = offset;
    lengths[partition] = length;
    records[partition] = count;
  }

  long offset(int partition) {
    return offsets[partition];
  }

  long length(int partition) {
    return lengths[partition];
  }

  long records(int partition) {
    return records[partition];
  }
}
