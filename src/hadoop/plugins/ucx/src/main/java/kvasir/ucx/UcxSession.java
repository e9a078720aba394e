package kvasir.ucx;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayDeque;
import kvasir.transport.Jobs;
import kvasir.transport.MapOutput;
import kvasir.transport.Outputs;
import kvasir.transport.Proof;
import kvasir.transport.RefusedException;
import kvasir.transport.Settings;
import kvasir.transport.Wire;
import kvasir.ucx.Message.Token;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves one client. Used by the thread of the loop, but for reading files. */
final class UcxSession {
  private static final Logger LOG = LoggerFactory.getLogger(UcxSession.class);

  /** Requests that are kept: a client that asks for more at a time is cut off. */
  private static final int MOST_REQUESTS = 8192;

  /** Buffers that are being sent or read into. */
  private static final int MOST_BUFFERS = 2;

  private final UcpEndpoint endpoint;
  private final UcxServer server;
  private final Jobs jobs;
  private final Outputs outputs;
  private final int timeoutMs;
  private final byte[] serverNonce = Proof.nonce();
  private final Token token = Token.of(serverNonce);
  private final ArrayDeque<Answer> answers = new ArrayDeque<>();
  private final long started = System.nanoTime();
  private long progressed = started;
  private byte expected = Wire.HELLO;
  private Jobs.Job job;
  private byte[] clientNonce;
  private Token toClient;
  private int buffers;
  private boolean reading;
  private boolean hungry;
  private boolean ended;

  UcxSession(
      UcpEndpoint endpoint, UcxServer server, Jobs jobs, Outputs outputs, Settings settings) {
    this.endpoint = endpoint;
    this.server = server;
    this.jobs = jobs;
    this.outputs = outputs;
    this.timeoutMs = settings.timeoutMs();
  }

  /** Returns what the client's messages begin with once it knows it. */
  Token token() {
    return token;
  }

  boolean isOf(String id) {
    return job != null && job.id().equals(id);
  }

  boolean isOver(UcpEndpoint lost) {
    return endpoint.getNativeId().equals(lost.getNativeId());
  }

  /** Ends the connection. */
  void end(String reason) {
    LOG.debug("connection of {} ends: {}", job == null ? "a stranger" : job.id(), reason);
    ended = true;
    endpoint.closeNonBlockingForce();
    if (!reading) {
      closeAll();
    }
  }

  private void closeAll() {
    answers.forEach(Answer::close);
    answers.clear();
  }

  /** Throws when nothing happens for too long. */
  void checkTime(long now, long greetingNanos) throws SocketTimeoutException {
    if (expected != Wire.FETCH && now - started > greetingNanos) {
      throw new SocketTimeoutException("no proof after " + (now - started) / 1_000_000 + " ms");
    }
    if (buffers > 0 && !reading && (now - progressed) / 1_000_000 > timeoutMs) {
      throw new SocketTimeoutException("the client takes nothing for " + timeoutMs + " ms");
    }
  }

  /** Takes a message of the client. */
  void take(ByteBuffer frame) throws IOException {
    Wire.require(frame.get() == expected);
    if (expected == Wire.HELLO) {
      Wire.require(Wire.number(frame) == Wire.MAGIC);
      String id = Wire.text(frame);
      clientNonce = Wire.bytes(frame, Proof.NONCE_BYTES);
      toClient = Token.of(clientNonce);
      job = jobs.get(id);
      expected = Wire.PROOF;
      say(new Wire.Frame(Wire.NONCE).put(serverNonce), null);
    } else if (expected == Wire.PROOF) {
      byte[] proof = Wire.bytes(frame, Proof.BYTES);
      // Which jobs there are is nothing that a stranger may learn: it fails here either way.
      if (job == null || !Proof.same(proof, proofOf(Proof.Role.CLIENT))) {
        throw new IOException("it does not know the job's secret");
      }
      expected = Wire.FETCH;
      say(new Wire.Frame(Wire.PROOF).put(proofOf(Proof.Role.SERVER)), null);
    } else {
      int id = Wire.number(frame);
      int reduce = Wire.number(frame);
      long offset = Wire.longNumber(frame);
      int most = Wire.number(frame);
      Wire.require(offset >= 0 && most >= 0 && answers.size() < MOST_REQUESTS);
      answers.add(new Answer(id, new MapOutput(Wire.text(frame), reduce), offset, most));
      step();
    }
    Wire.end(frame);
  }

  private byte[] proofOf(Proof.Role role) {
    return Proof.of(job.secret(), role, job.id(), clientNonce, serverNonce);
  }

  private void say(Wire.Frame frame, ByteBuffer payload) {
    server
        .loop()
        .send(
            endpoint,
            Message.TO_CLIENT,
            false,
            Message.head(toClient, frame),
            payload,
            problem -> {
              if (payload != null) {
                giveBack(payload);
              }
              if (!problem.isEmpty() && !ended) {
                server.loop().later(() -> server.end(this, problem));
              } else {
                progressed = System.nanoTime();
                step();
              }
            });
  }

  private void giveBack(ByteBuffer buffer) {
    buffers--;
    server.give(buffer);
  }

  /** Asks for a buffer again. */
  void fed() {
    hungry = false;
    step();
  }

  /** Has the next bytes read, unless that is going on or there are too many that are not sent. */
  private void step() {
    if (ended || reading || hungry || answers.isEmpty() || buffers >= MOST_BUFFERS) {
      return;
    }
    ByteBuffer buffer = server.take(this);
    if (buffer == null) {
      hungry = true;
      return;
    }
    if (buffers == 0) {
      progressed = System.nanoTime();
    }
    buffers++;
    reading = true;
    Answer answer = answers.peek();
    server.readers().execute(() -> read(answer, buffer));
  }

  /** Reads, in a thread of the readers. */
  private void read(Answer answer, ByteBuffer buffer) {
    Wire.Frame frame = null;
    String fatal = "";
    try {
      frame = answer.read(buffer);
    } catch (RuntimeException | Error e) {
      fatal = e.toString();
    }
    Wire.Frame said = frame;
    String problem = fatal;
    if (!server.loop().later(() -> sendRead(answer, said, buffer, problem))) {
      answer.close();
    }
  }

  private void sendRead(Answer answer, Wire.Frame frame, ByteBuffer buffer, String problem) {
    reading = false;
    if (ended) {
      giveBack(buffer);
      closeAll();
      return;
    }
    if (!problem.isEmpty()) {
      giveBack(buffer);
      server.end(this, problem);
      return;
    }
    if (answer.isDone()) {
      answers.remove().close();
    }
    if (buffer.hasRemaining()) {
      say(frame, buffer);
    } else {
      giveBack(buffer);
      say(frame, null);
    }
    step();
  }

  /** Answers one request. Its file is opened when its turn comes, so that one at most is open. */
  private final class Answer {
    private final int id;
    private final MapOutput output;
    private final long offset;
    private final int most;
    private Outputs.Range range;
    private Outputs.Source file;
    private int total;
    private int sent;
    private boolean done;

    Answer(int id, MapOutput output, long offset, int most) {
      this.id = id;
      this.output = output;
      this.offset = offset;
      this.most = most;
    }

    boolean isDone() {
      return done;
    }

    void close() {
      if (file != null) {
        try {
          file.close();
        } catch (IOException e) {
          LOG.debug("closing", e);
        }
        file = null;
      }
    }

    /** Reads the next bytes; returns what to say before them. */
    Wire.Frame read(ByteBuffer into) {
      try {
        if (range == null) {
          prepare();
        }
        int at = sent;
        into.limit(Math.min(into.capacity(), total - sent));
        while (into.hasRemaining()) {
          long from = range.start() + offset + sent;
          long now = file.transferTo(from, into.remaining(), new Filling(into));
          if (now <= 0) {
            throw new EOFException("the file of " + output + " has become shorter");
          }
          sent += (int) now;
        }
        into.flip();
        done = sent == total;
        return new Wire.Frame(Wire.DATA)
            .put(id)
            .put(range.length())
            .put(range.rawLength())
            .put(at)
            .put(total);
      } catch (IOException e) {
        LOG.info("{} is not sent: {}", output, e.toString());
        close();
        done = true;
        into.position(0).limit(0);
        return Wire.without(id, e);
      }
    }

    private void prepare() throws IOException {
      Outputs.Range found = outputs.find(job, output);
      if (offset > found.length()) {
        throw new RefusedException(
            output + " has " + found.length() + " bytes, asked for those from " + offset);
      }
      total = (int) Math.min(most, found.length() - offset);
      if (total > 0) {
        file = outputs.open(job, output);
        if (file.size() < found.start() + offset + total) {
          throw new RefusedException("the file of " + output + " is shorter than its index says");
        }
      }
      range = found;
    }
  }

  /** Channel into a buffer, for sources that write to channels. */
  private static final class Filling implements WritableByteChannel {
    private final ByteBuffer into;

    Filling(ByteBuffer into) {
      this.into = into;
    }

    @Override
    public int write(ByteBuffer from) {
      int count = Math.min(from.remaining(), into.remaining());
      ByteBuffer part = from.duplicate();
      part.limit(part.position() + count);
      into.put(part);
      from.position(from.position() + count);
      return count;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }
}
