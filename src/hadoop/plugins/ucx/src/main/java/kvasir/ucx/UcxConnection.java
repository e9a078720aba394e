package kvasir.ucx;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import kvasir.transport.MapOutput;
import kvasir.transport.Piece;
import kvasir.transport.Proof;
import kvasir.transport.Settings;
import kvasir.transport.Wire;
import kvasir.ucx.Message.Token;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpAmData;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpRequest;

/** Talks to one server. Used by the thread of the loop. */
final class UcxConnection {
  private final InetSocketAddress server;
  private final Loop loop;
  private final String job;
  private final byte[] secret;
  private final int timeoutMs;
  private final long windowBytes;
  private final BiConsumer<UcxConnection, Throwable> ending;
  private final UcpEndpoint endpoint;
  private final byte[] clientNonce = Proof.nonce();
  private final Token token = Token.of(clientNonce);

  /** Not asked for yet. */
  private final ArrayDeque<Fetch> waiting = new ArrayDeque<>();

  /** Asked for, by number. */
  private final Map<Integer, Fetch> asked = new HashMap<>();

  private byte[] serverNonce;
  private Token toServer = Token.none();
  private boolean open;
  private boolean ended;
  private long askedBytes;
  private int nextId;
  private long progressed = System.nanoTime();

  /** Fetch that is not done. */
  static final class Fetch {
    final CompletableFuture<Piece> done = new CompletableFuture<>();
    private final MapOutput output;
    private final long offset;
    private final ByteBuffer into;
    private final int start;
    private final int most;
    private int got;

    Fetch(MapOutput output, long offset, ByteBuffer into) {
      this.output = output;
      this.offset = offset;
      this.into = into;
      this.start = into.position();
      this.most = into.remaining();
    }
  }

  /** Connects with the server beside that over TCP; {@code ending} is told when UCX has lost it. */
  UcxConnection(
      InetSocketAddress server,
      Loop loop,
      String job,
      byte[] secret,
      Settings settings,
      BiConsumer<UcxConnection, Throwable> ending)
      throws IOException {
    if (server.isUnresolved()) {
      throw new UnknownHostException(server.getHostString());
    }
    this.server = server;
    this.loop = loop;
    this.job = job;
    this.secret = secret;
    this.timeoutMs = settings.timeoutMs();
    this.windowBytes = settings.windowBytes();
    this.ending = ending;
    InetSocketAddress beside =
        new InetSocketAddress(server.getAddress(), server.getPort() + UcxTransport.PORT_OFFSET);
    try {
      endpoint =
          loop.worker()
              .newEndpoint(
                  new UcpEndpointParams()
                      .setSocketAddress(beside)
                      .setPeerErrorHandlingMode()
                      .setErrorHandler((lost, status, message) -> fail(message)));
    } catch (UcxException e) {
      throw new IOException(server + ": " + e.getMessage(), e);
    }
  }

  InetSocketAddress server() {
    return server;
  }

  /** Returns what the server's messages begin with. */
  Token token() {
    return token;
  }

  /** Says who it is. */
  void greet() {
    say(new Wire.Frame(Wire.HELLO).put(Wire.MAGIC).put(job).put(clientNonce));
  }

  void add(Fetch fetch) {
    if (asked.isEmpty() && waiting.isEmpty() && open) {
      progressed = System.nanoTime();
    }
    waiting.add(fetch);
    ask();
  }

  private void say(Wire.Frame frame) {
    loop.send(
        endpoint,
        Message.TO_SERVER,
        !open,
        Message.head(toServer, frame),
        null,
        problem -> {
          if (!problem.isEmpty()) {
            fail(problem);
          }
        });
  }

  /** Ends the connection once UCX has returned: it calls from within. */
  private void fail(String problem) {
    if (!ended) {
      String reason =
          open ? "the server has ended the connection" : "the server does not accept us";
      loop.later(() -> ending.accept(this, new IOException(reason + ": " + problem)));
    }
  }

  /** Fails everything that is not done. */
  void end(Throwable reason) {
    if (ended) {
      return;
    }
    ended = true;
    endpoint.closeNonBlockingForce();
    List<Fetch> failed = new ArrayList<>(asked.values());
    failed.addAll(waiting);
    asked.clear();
    waiting.clear();
    String said = reason.getMessage() == null ? reason.toString() : reason.getMessage();
    for (Fetch fetch : failed) {
      fetch.done.completeExceptionally(new IOException(server + ": " + said, reason));
    }
  }

  /** Throws when a server that was asked says nothing for too long. */
  void checkTime(long now) throws IOException {
    boolean expecting = !open || !asked.isEmpty();
    if (expecting && (now - progressed) / 1_000_000 > timeoutMs) {
      throw new SocketTimeoutException("no answer for " + timeoutMs + " ms");
    }
  }

  /** Asks for what is waiting as far as the window goes; one piece at least, however large. */
  private void ask() {
    while (open
        && !ended
        && !waiting.isEmpty()
        && (askedBytes == 0 || askedBytes + waiting.peek().most <= windowBytes)) {
      Fetch fetch = waiting.remove();
      asked.put(nextId, fetch);
      askedBytes += fetch.most;
      say(
          new Wire.Frame(Wire.FETCH)
              .put(nextId++)
              .put(fetch.output.reduce())
              .put(fetch.offset)
              .put(fetch.most)
              .put(fetch.output.attempt()));
    }
  }

  /** Takes a message of the server, and the bytes after it. */
  void take(ByteBuffer frame, UcpAmData data) throws IOException {
    progressed = System.nanoTime();
    byte kind = frame.get();
    if (!open) {
      greeting(kind, frame);
      return;
    }
    Wire.require(kind == Wire.DATA || Wire.isWithout(kind));
    int id = Wire.number(frame);
    Fetch fetch = asked.get(id);
    Wire.require(fetch != null);
    if (kind != Wire.DATA) {
      IOException problem = Wire.problem(kind, server, frame);
      answered(id);
      fetch.done.completeExceptionally(problem);
      ask();
      return;
    }
    long length = Wire.longNumber(frame);
    long rawLength = Wire.longNumber(frame);
    int at = Wire.number(frame);
    int total = Wire.number(frame);
    Wire.end(frame);
    // The server gives as much as was asked for, or what there is.
    Wire.require(length >= fetch.offset && total == Math.min(fetch.most, length - fetch.offset));
    Wire.require(at >= 0 && data.getLength() <= total - at);
    Wire.require(fetch.got + data.getLength() <= total);
    Piece piece = new Piece(fetch.into, length, rawLength);
    int count = (int) data.getLength();
    if (count == 0 || data.isDataValid()) {
      ByteBuffer bytes =
          count == 0
              ? ByteBuffer.allocate(0)
              : UcxUtils.getByteBufferView(data.getDataAddress(), count);
      store(id, fetch, at, bytes, total, piece);
    } else {
      receive(id, fetch, at, total, piece, data);
    }
  }

  /**
   * Has UCX get the bytes. They come to memory of their own: a buffer of who asked must not be
   * written to once the fetch has failed, whatever the network still does.
   */
  private void receive(int id, Fetch fetch, int at, int total, Piece piece, UcpAmData data) {
    ByteBuffer bytes = ByteBuffer.allocateDirect((int) data.getLength());
    data.receive(
        UcxUtils.getAddress(bytes),
        new UcxCallback() {
          @Override
          public void onSuccess(UcpRequest request) {
            progressed = System.nanoTime();
            store(id, fetch, at, bytes, total, piece);
          }

          @Override
          public void onError(int status, String message) {
            fail("bytes do not come: " + message);
          }
        });
  }

  private void store(int id, Fetch fetch, int at, ByteBuffer bytes, int total, Piece piece) {
    if (asked.get(id) != fetch) {
      return;
    }
    fetch.got += bytes.remaining();
    ByteBuffer target = fetch.into.duplicate();
    target.position(fetch.start + at);
    target.put(bytes);
    if (fetch.got == total) {
      answered(id);
      fetch.into.limit(fetch.start + total).position(fetch.start);
      fetch.done.complete(piece);
      ask();
    }
  }

  private void answered(int id) {
    askedBytes -= asked.remove(id).most;
  }

  private void greeting(byte kind, ByteBuffer frame) throws IOException {
    if (serverNonce == null) {
      Wire.require(kind == Wire.NONCE);
      serverNonce = Wire.bytes(frame, Proof.NONCE_BYTES);
      toServer = Token.of(serverNonce);
      say(new Wire.Frame(Wire.PROOF).put(proofOf(Proof.Role.CLIENT)));
    } else {
      Wire.require(kind == Wire.PROOF);
      if (!Proof.same(Wire.bytes(frame, Proof.BYTES), proofOf(Proof.Role.SERVER))) {
        throw new IOException("the server does not know the job's secret");
      }
      open = true;
      ask();
    }
    Wire.end(frame);
  }

  private byte[] proofOf(Proof.Role role) {
    return Proof.of(secret, role, job, clientNonce, serverNonce);
  }
}
