package kvasir.transport;

import java.nio.ByteBuffer;

/** Holds bytes of a map output that were fetched, and how long the whole output is. */
public final class Piece {
  private final ByteBuffer bytes;
  private final long length;
  private final long rawLength;

  /** Holds bytes of an output of so many bytes, whose records have so many. */
  public Piece(ByteBuffer bytes, long length, long rawLength) {
    this.bytes = bytes;
    this.length = length;
    this.rawLength = rawLength;
  }

  /** Returns the buffer that was given to the client, from the first byte to the last fetched. */
  public ByteBuffer bytes() {
    return bytes;
  }

  /** Returns the bytes of the whole output as it is stored, its checksum included. */
  public long length() {
    return length;
  }

  /** Returns the bytes of the whole output's records when they are not compressed. */
  public long rawLength() {
    return rawLength;
  }
}
