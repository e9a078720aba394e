package kvasir.homr;

/** Holds some bytes, in memory or in the spill file. Guarded by the pool's monitor. */
final class Part {
  private final int charged;
  private int length;
  private byte[] bytes;
  private long position;

  /** Holds the first bytes of an array, of which some count as fetched ahead. */
  Part(byte[] bytes, int length, int charged) {
    this.bytes = bytes;
    this.length = length;
    this.charged = charged;
  }

  /** Holds bytes that are in the spill file. */
  Part(long position, int length) {
    this.position = position;
    this.length = length;
    this.charged = 0;
  }

  int length() {
    return length;
  }

  /** Returns the bytes, null when they are in the file. */
  byte[] bytes() {
    return bytes;
  }

  /** Returns where the bytes are in the file. */
  long position() {
    return position;
  }

  /** Returns how much of the memory for what is fetched ahead it takes. */
  int charged() {
    return bytes == null ? 0 : charged;
  }

  /** Gives up the bytes in memory: they are in the file as well. */
  void moved(long to) {
    position = to;
    bytes = null;
  }

  /** Adds bytes that follow in the file; returns whether they do. */
  boolean extend(long from, int more) {
    if (bytes != null || from != position + length || length > Integer.MAX_VALUE - more) {
      return false;
    }
    length += more;
    return true;
  }
}
