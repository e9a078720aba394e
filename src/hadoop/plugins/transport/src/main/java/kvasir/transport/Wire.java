package kvasir.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Makes and takes apart the frames of the protocol over TCP.
 *
 * <p>A frame is the length of what follows (4 bytes), its kind (1 byte) and its content, numbers
 * with the most significant byte first, texts as their length (2 bytes) and ASCII:
 *
 * <pre>
 * client HELLO    magic 4, job, client's nonce 32
 * server NONCE    server's nonce 32
 * client PROOF    HMAC 32
 * server PROOF    HMAC 32, only after the client's was right; else the connection ends
 * client FETCH    id 4, reduce 4, offset 8, at most 4, map attempt
 * server DATA     id 4, length 8, raw length 8, bytes
 * server REFUSED  id 4, reason
 * </pre>
 *
 * <p>Answers come in the order of the questions.
 */
final class Wire {
  static final int MAGIC = 0x4b564d31;
  static final byte HELLO = 1;
  static final byte NONCE = 2;
  static final byte PROOF = 3;
  static final byte FETCH = 4;
  static final byte DATA = 5;
  static final byte REFUSED = 6;

  /** Length and kind. */
  static final int HEAD_BYTES = 5;

  /** What precedes the bytes of a DATA frame, without length and kind. */
  static final int DATA_BYTES = 20;

  /** Longest frame but DATA: a stranger cannot make anybody keep more. */
  static final int LONGEST = 1024;

  private Wire() {}

  /** Frame under construction. */
  static final class Frame {
    private final ByteBuffer buffer = ByteBuffer.allocate(LONGEST + 4);

    Frame(byte kind) {
      buffer.putInt(0).put(kind);
    }

    Frame put(byte[] bytes) {
      buffer.put(bytes);
      return this;
    }

    Frame put(int number) {
      buffer.putInt(number);
      return this;
    }

    Frame put(long number) {
      buffer.putLong(number);
      return this;
    }

    Frame put(String text) {
      byte[] letters = text.getBytes(StandardCharsets.US_ASCII);
      int room = Math.min(letters.length, buffer.remaining() - 2);
      buffer.putShort((short) room).put(letters, 0, room);
      return this;
    }

    /** Returns the frame, followed by {@code more} bytes of content that the caller sends. */
    ByteBuffer made(int more) {
      buffer.putInt(0, buffer.position() - 4 + more);
      buffer.flip();
      return ByteBuffer.wrap(Arrays.copyOf(buffer.array(), buffer.limit()));
    }

    ByteBuffer made() {
      return made(0);
    }
  }

  /** Takes the next {@code count} bytes of a frame. */
  static byte[] bytes(ByteBuffer frame, int count) throws IOException {
    require(frame.remaining() >= count);
    byte[] taken = new byte[count];
    frame.get(taken);
    return taken;
  }

  static int number(ByteBuffer frame) throws IOException {
    require(frame.remaining() >= 4);
    return frame.getInt();
  }

  static long longNumber(ByteBuffer frame) throws IOException {
    require(frame.remaining() >= 8);
    return frame.getLong();
  }

  static String text(ByteBuffer frame) throws IOException {
    require(frame.remaining() >= 2);
    int length = frame.getShort() & 0xffff;
    return new String(bytes(frame, length), StandardCharsets.US_ASCII);
  }

  /** Throws when a frame holds more than it should. */
  static void end(ByteBuffer frame) throws IOException {
    require(!frame.hasRemaining());
  }

  static void require(boolean right) throws IOException {
    if (!right) {
      throw new IOException("the other side does not keep to the protocol");
    }
  }
}
