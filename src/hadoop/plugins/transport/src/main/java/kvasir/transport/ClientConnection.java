package kvasir.transport;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import kvasir.transport.TcpClient.Fetch;

/** Talks to one server. Used by one thread. */
final class ClientConnection {
  private final InetSocketAddress server;
  private final String job;
  private final byte[] secret;
  private final int timeoutMs;
  private final long windowBytes;
  private final SocketChannel channel;
  private final SelectionKey key;
  private final byte[] clientNonce = Proof.nonce();

  /** Not asked for yet. */
  private final ArrayDeque<Fetch> waiting = new ArrayDeque<>();

  /** Asked for, in the order of the answers. */
  private final ArrayDeque<Fetch> asked = new ArrayDeque<>();

  private final ArrayDeque<ByteBuffer> out = new ArrayDeque<>();
  private final ByteBuffer in = ByteBuffer.allocate(Wire.LONGEST + 4);
  private byte[] serverNonce;
  private boolean open;
  private long askedBytes;
  private int nextId;
  private int answeredId;
  private long progressed = System.nanoTime();

  /** The fetch whose bytes come next, null between frames. */
  private Fetch filling;

  private int fillingLeft;
  private long length;
  private long rawLength;

  ClientConnection(
      InetSocketAddress server, Selector selector, String job, byte[] secret, Settings settings)
      throws IOException {
    if (server.isUnresolved()) {
      throw new UnknownHostException(server.getHostString());
    }
    this.server = server;
    this.job = job;
    this.secret = secret;
    this.timeoutMs = settings.timeoutMs();
    this.windowBytes = settings.windowBytes();
    this.channel = SocketChannel.open();
    try {
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      key = channel.register(selector, SelectionKey.OP_CONNECT, this);
      out.add(new Wire.Frame(Wire.HELLO).put(Wire.MAGIC).put(job).put(clientNonce).made());
      in.limit(Wire.HEAD_BYTES);
      if (channel.connect(server)) {
        // Nothing would tell of it later.
        key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
      }
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw new IOException(server + ": " + e.getMessage(), e);
    }
  }

  InetSocketAddress server() {
    return server;
  }

  void add(Fetch fetch) throws IOException {
    if (asked.isEmpty() && waiting.isEmpty() && open) {
      progressed = System.nanoTime();
    }
    waiting.add(fetch);
    ask();
    if (open) {
      write();
    }
  }

  /** Fails everything that is not done. */
  void end(Throwable reason) {
    try {
      channel.close();
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
    List<Fetch> failed = new ArrayList<>();
    if (filling != null) {
      failed.add(filling);
    }
    failed.addAll(asked);
    failed.addAll(waiting);
    filling = null;
    asked.clear();
    waiting.clear();
    for (Fetch fetch : failed) {
      String said = reason.getMessage() == null ? reason.toString() : reason.getMessage();
      fetch.done.completeExceptionally(new IOException(server + ": " + said, reason));
    }
  }

  /** Ends the connection when a server that was asked says nothing for too long. */
  void checkTime(long now) throws IOException {
    boolean expecting = !open || filling != null || !asked.isEmpty();
    if (expecting && (now - progressed) / 1_000_000 > timeoutMs) {
      throw new SocketTimeoutException("no answer for " + timeoutMs + " ms");
    }
  }

  /** Reads and writes what can be without waiting. */
  void ready() throws IOException {
    if (key.isConnectable() && channel.finishConnect()) {
      progressed = System.nanoTime();
    }
    if (!channel.isConnected()) {
      return;
    }
    read();
    write();
  }

  private void write() throws IOException {
    while (!out.isEmpty()) {
      channel.write(out.peek());
      if (out.peek().hasRemaining()) {
        break;
      }
      out.remove();
    }
    key.interestOps(SelectionKey.OP_READ | (out.isEmpty() ? 0 : SelectionKey.OP_WRITE));
  }

  /** Asks for what is waiting as far as the window goes; one piece at least, however large. */
  private void ask() {
    while (open
        && !waiting.isEmpty()
        && (askedBytes == 0 || askedBytes + waiting.peek().most <= windowBytes)) {
      Fetch fetch = waiting.remove();
      out.add(
          new Wire.Frame(Wire.FETCH)
              .put(nextId++)
              .put(fetch.output.reduce())
              .put(fetch.offset)
              .put(fetch.most)
              .put(fetch.output.attempt())
              .made());
      asked.add(fetch);
      askedBytes += fetch.most;
    }
  }

  private void read() throws IOException {
    while (true) {
      if (filling != null) {
        if (fillingLeft > 0 && !fill()) {
          return;
        }
        if (fillingLeft == 0) {
          finish();
        }
        continue;
      }
      int got = channel.read(in);
      if (got < 0) {
        throw new EOFException(
            open ? "the server has ended the connection" : "the server does not accept us");
      }
      if (got > 0) {
        progressed = System.nanoTime();
      }
      if (in.hasRemaining()) {
        return;
      }
      take();
    }
  }

  /** Reads into the buffer of who asked; returns whether something came. */
  private boolean fill() throws IOException {
    ByteBuffer into = filling.into;
    into.limit(into.position() + fillingLeft);
    int got = channel.read(into);
    if (got < 0) {
      throw new EOFException("the server has ended the connection in the middle of a piece");
    }
    if (got == 0) {
      return false;
    }
    progressed = System.nanoTime();
    fillingLeft -= got;
    return true;
  }

  private void finish() throws IOException {
    Fetch done = filling;
    filling = null;
    int end = done.into.position();
    done.into.limit(end).position(done.start);
    answered(done);
    done.done.complete(new Piece(done.into, length, rawLength));
    ask();
  }

  private void answered(Fetch fetch) {
    askedBytes -= fetch.most;
    answeredId++;
  }

  /** Takes what has been read of a frame, and says how much more of it to read. */
  private void take() throws IOException {
    int frame = in.getInt(0);
    byte kind = in.get(4);
    Wire.require(frame >= 1);
    int head = kind == Wire.DATA ? 1 + Wire.DATA_BYTES : frame;
    Wire.require(head <= frame && head <= Wire.LONGEST);
    if (in.position() < 4 + head) {
      in.limit(4 + head);
      return;
    }
    in.flip().position(Wire.HEAD_BYTES);
    content(kind, frame);
    in.clear().limit(Wire.HEAD_BYTES);
  }

  private void content(byte kind, int frame) throws IOException {
    if (!open) {
      greeting(kind);
      return;
    }
    Wire.require(kind == Wire.DATA || Wire.isWithout(kind));
    Wire.require(Wire.number(in) == answeredId && !asked.isEmpty());
    if (kind != Wire.DATA) {
      IOException problem = Wire.problem(kind, server, in);
      Fetch failed = asked.remove();
      answered(failed);
      failed.done.completeExceptionally(problem);
      ask();
      return;
    }
    length = Wire.longNumber(in);
    rawLength = Wire.longNumber(in);
    Fetch next = asked.peek();
    fillingLeft = frame - 1 - Wire.DATA_BYTES;
    // The server gives as much as was asked for, or what there is.
    Wire.require(fillingLeft >= 0 && length >= next.offset);
    Wire.require(fillingLeft == Math.min(next.most, length - next.offset));
    filling = asked.remove();
  }

  private void greeting(byte kind) throws IOException {
    if (serverNonce == null) {
      Wire.require(kind == Wire.NONCE);
      serverNonce = Wire.bytes(in, Proof.NONCE_BYTES);
      out.add(new Wire.Frame(Wire.PROOF).put(proofOf(Proof.Role.CLIENT)).made());
    } else {
      Wire.require(kind == Wire.PROOF);
      if (!Proof.same(Wire.bytes(in, Proof.BYTES), proofOf(Proof.Role.SERVER))) {
        throw new IOException("the server does not know the job's secret");
      }
      open = true;
      ask();
    }
    Wire.end(in);
  }

  private byte[] proofOf(Proof.Role role) {
    return Proof.of(secret, role, job, clientNonce, serverNonce);
  }
}
