package kvasir.nvm;

/**
 * Ints of variable length: seven bits a byte, the lowest first, the highest bit set in all bytes
 * but the last.
 */
final class Varint {
  /** Most bytes of one. */
  static final int MOST = 5;

  private Varint() {}

  /** Writes a value that is not negative; returns the position after it. */
  static int put(byte[] bytes, int position, int value) {
    int at = position;
    int rest = value;
    while (rest > 0x7f) {
      bytes[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[at++] = (byte) rest;
    return at;
  }
}
