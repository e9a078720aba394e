package kvasir.ucx;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import kvasir.transport.Proof;
import kvasir.transport.Wire;
import org.openucx.jucx.UcxUtils;

/**
 * Makes and takes apart the heads of messages.
 *
 * <p>A head is the receiver's token (16 bytes) and a frame as {@link Wire} has it; a HELLO has a
 * token of zeros. A token is the beginning of a side's nonce: it tells connections of one worker
 * apart, and who does not know it cannot write into another's connection. Bytes of an output follow
 * heads of the kind DATA, which have two numbers more: where they begin within the piece that was
 * asked for (4), and how long that is (4).
 */
final class Message {
  static final int TO_SERVER = 1;
  static final int TO_CLIENT = 2;
  private static final int TOKEN_BYTES = 16;

  private final Token token;
  private final ByteBuffer frame;

  private Message(Token token, ByteBuffer frame) {
    this.token = token;
    this.frame = frame;
  }

  /** Names a connection to the side that has chosen it. */
  static final class Token {
    private final byte[] bytes;

    private Token(byte[] bytes) {
      this.bytes = bytes;
    }

    static Token of(byte[] nonce) {
      return new Token(Arrays.copyOf(nonce, TOKEN_BYTES));
    }

    static Token none() {
      return new Token(new byte[TOKEN_BYTES]);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Token && Proof.same(bytes, ((Token) other).bytes);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(bytes);
    }
  }

  /** Returns the head of a message. */
  static ByteBuffer head(Token to, Wire.Frame frame) {
    ByteBuffer content = frame.made();
    ByteBuffer made = ByteBuffer.allocate(TOKEN_BYTES + content.remaining());
    made.put(to.bytes).put(content).flip();
    return made;
  }

  /** Takes a head apart, which lies in memory of UCX. */
  static Message of(long address, long length) throws IOException {
    int least = TOKEN_BYTES + Wire.HEAD_BYTES;
    Wire.require(length >= least && length <= TOKEN_BYTES + Wire.LONGEST + 4);
    ByteBuffer copy = ByteBuffer.allocate((int) length);
    copy.put(UcxUtils.getByteBufferView(address, length)).flip();
    Token token = new Token(Wire.bytes(copy, TOKEN_BYTES));
    Wire.require(Wire.number(copy) == copy.remaining());
    return new Message(token, copy);
  }

  Token token() {
    return token;
  }

  /** Returns the frame, from its kind on. */
  ByteBuffer frame() {
    return frame;
  }
}
