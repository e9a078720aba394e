package kvasir.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Makes and takes apart the frames of the protocol over TCP, which UCX has in part.
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
 * server REFUSED  id 4, reason: there is no such output
 * server FAILED   id 4, reason: it could not be read this time
 * </pre>
 *
 * <p>Answers come in the order of the questions.
 */
public final class Wire {
  public static final int MAGIC = 0x4b564d31;
  public static final byte HELLO = 1;
  public static final byte NONCE = 2;
  public static final byte PROOF = 3;
  public static final byte FETCH = 4;
  public static final byte DATA = 5;
  public static final byte REFUSED = 6;
  public static final byte FAILED = 7;

  /** Length and kind. */
  public static final int HEAD_BYTES = 5;

  /** What precedes the bytes of a DATA frame, without length and kind. */
  public static final int DATA_BYTES = 20;

  /** Longest frame but DATA: a stranger cannot make anybody keep more. */
  public static final int LONGEST = 1024;

  private Wire() {}

  /** Frame under construction. */
  public static final class Frame {
    private final ByteBuffer buffer = ByteBuffer.allocate(LONGEST + 4);

    /** Begins a frame of a kind. */
    public Frame(byte kind) {
      buffer.putInt(0).put(kind);
    }

    /** Appends bytes. */
    public Frame put(byte[] bytes) {
      buffer.put(bytes);
      return this;
    }

    /** Appends a number of 4 bytes. */
    public Frame put(int number) {
      buffer.putInt(number);
      return this;
    }

    /** Appends a number of 8 bytes. */
    public Frame put(long number) {
      buffer.putLong(number);
      return this;
    }

    /** Appends a text, cut where the frame is full. */
    public Frame put(String text) {
      byte[] letters = text.getBytes(StandardCharsets.US_ASCII);
      int room = Math.min(letters.length, buffer.remaining() - 2);
      buffer.putShort((short) room).put(letters, 0, room);
      return this;
    }

    /** Returns the frame, followed by {@code more} bytes of content that the caller sends. */
    public ByteBuffer made(int more) {
      buffer.putInt(0, buffer.position() - 4 + more);
      buffer.flip();
      return ByteBuffer.wrap(Arrays.copyOf(buffer.array(), buffer.limit()));
    }

    /** Returns the frame. */
    public ByteBuffer made() {
      return made(0);
    }
  }

  /** Begins the answer to a fetch that has no bytes, for the reason {@code problem}. */
  public static Frame without(int id, IOException problem) {
    boolean refused = problem instanceof RefusedException;
    return new Frame(refused ? REFUSED : FAILED)
        .put(id)
        .put(refused ? problem.getMessage() : problem.toString());
  }

  /** Returns whether {@link #without} makes frames of this kind. */
  public static boolean isWithout(byte kind) {
    return kind == REFUSED || kind == FAILED;
  }

  /** Takes the reason out of such a frame, and says whose it is. */
  public static IOException problem(byte kind, Object server, ByteBuffer frame) throws IOException {
    String text = server + ": " + text(frame);
    end(frame);
    return kind == REFUSED ? new RefusedException(text) : new IOException(text);
  }

  /** Takes the next {@code count} bytes of a frame. */
  public static byte[] bytes(ByteBuffer frame, int count) throws IOException {
    require(frame.remaining() >= count);
    byte[] taken = new byte[count];
    frame.get(taken);
    return taken;
  }

  /** Takes a number of 4 bytes. */
  public static int number(ByteBuffer frame) throws IOException {
    require(frame.remaining() >= 4);
    return frame.getInt();
  }

  /** Takes a number of 8 bytes. */
  public static long longNumber(ByteBuffer frame) throws IOException {
    require(frame.remaining() >= 8);
    return frame.getLong();
  }

  /** Takes a text. */
  public static String text(ByteBuffer frame) throws IOException {
    require(frame.remaining() >= 2);
    int length = frame.getShort() & 0xffff;
    return new String(bytes(frame, length), StandardCharsets.US_ASCII);
  }

  /** Throws when a frame holds more than it should. */
  public static void end(ByteBuffer frame) throws IOException {
    require(!frame.hasRemaining());
  }

  /** Throws unless the other side keeps to the protocol. */
  public static void require(boolean right) throws IOException {
    if (!right) {
      throw new IOException("the other side does not keep to the protocol");
    }
  }
}
