package kvasir.rdma;

/** Holds some bytes of a map output, in memory or in the spill file. */
final class Part {
  final int length;

  /** Bytes of it that count as fetched ahead. */
  final int charged;

  /** Null when the bytes are in the file. */
  byte[] bytes;

  /** Where the bytes are in the file. */
  long position;

  Part(byte[] bytes, int length, int charged) {
    this.bytes = bytes;
    this.length = length;
    this.charged = charged;
  }
}
