package kvasir.transport;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves one client. Used by one thread. */
final class ServerConnection {
  private static final Logger LOG = LoggerFactory.getLogger(ServerConnection.class);

  /** Bytes that are sent before the others of the thread get their turn. */
  private static final int TURN_BYTES = 1 << 20;

  /** Requests that are kept: a client that asks for more has to take something first. */
  private static final int MOST_REQUESTS = 1024;

  /** What a stranger gets to say who it is, at most. */
  private static final int GREETING_MS = 10_000;

  private final SocketChannel channel;
  private final Jobs jobs;
  private final Outputs outputs;
  private final int timeoutMs;
  private final long windowBytes;
  private final ByteBuffer in = ByteBuffer.allocate(2 * (Wire.LONGEST + 4));
  private final ArrayDeque<Answer> answers = new ArrayDeque<>();
  private final long started = System.nanoTime();
  private long progressed = started;
  private long queuedBytes;
  private byte expected = Wire.HELLO;
  private Jobs.Job job;
  private byte[] clientNonce;
  private byte[] serverNonce;

  ServerConnection(SocketChannel channel, Jobs jobs, Outputs outputs, Settings settings) {
    this.channel = channel;
    this.jobs = jobs;
    this.outputs = outputs;
    this.timeoutMs = settings.timeoutMs();
    this.windowBytes = settings.windowBytes();
  }

  boolean isOf(String id) {
    return job != null && job.id().equals(id);
  }

  /** Ends the connection. */
  void end(String reason) {
    LOG.debug("connection of {} ends: {}", job == null ? "a stranger" : job.id(), reason);
    for (Answer answer : answers) {
      answer.close();
    }
    answers.clear();
    try {
      channel.close();
    } catch (IOException e) {
      LOG.debug("closing", e);
    }
  }

  /** Reads and writes what can be without waiting. */
  void ready(SelectionKey key) throws IOException {
    if (key.isReadable()) {
      if (channel.read(in) < 0) {
        throw new EOFException("the client has ended it");
      }
    }
    write();
    takeRequests();
    write();
    // What was left because there was no room: nothing more may come that would wake us up.
    takeRequests();
    key.interestOps(
        (isFull() ? 0 : SelectionKey.OP_READ) | (answers.isEmpty() ? 0 : SelectionKey.OP_WRITE));
  }

  /** Ends the connection when nothing happens for too long. */
  void checkTime(long now) throws IOException {
    if (expected != Wire.FETCH && ms(now - started) > Math.min(GREETING_MS, timeoutMs)) {
      throw new SocketTimeoutException("no proof after " + ms(now - started) + " ms");
    }
    if (!answers.isEmpty() && ms(now - progressed) > timeoutMs) {
      throw new SocketTimeoutException("the client takes nothing for " + timeoutMs + " ms");
    }
  }

  private static long ms(long nanos) {
    return nanos / 1_000_000;
  }

  private boolean isFull() {
    return answers.size() >= MOST_REQUESTS || queuedBytes >= windowBytes;
  }

  private void takeRequests() throws IOException {
    in.flip();
    while (!isFull() && in.remaining() >= Wire.HEAD_BYTES) {
      int length = in.getInt(in.position());
      Wire.require(length >= 1 && length <= Wire.LONGEST);
      if (in.remaining() < 4 + length) {
        break;
      }
      ByteBuffer frame = in.slice();
      frame.position(4).limit(4 + length);
      in.position(in.position() + 4 + length);
      take(frame);
      Wire.end(frame);
    }
    in.compact();
  }

  private void take(ByteBuffer frame) throws IOException {
    Wire.require(frame.get() == expected);
    if (expected == Wire.HELLO) {
      Wire.require(Wire.number(frame) == Wire.MAGIC);
      String id = Wire.text(frame);
      clientNonce = Wire.bytes(frame, Proof.NONCE_BYTES);
      serverNonce = Proof.nonce();
      job = jobs.get(id);
      expected = Wire.PROOF;
      say(new Wire.Frame(Wire.NONCE).put(serverNonce).made());
    } else if (expected == Wire.PROOF) {
      byte[] proof = Wire.bytes(frame, Proof.BYTES);
      // Which jobs there are is nothing that a stranger may learn: it fails here either way.
      if (job == null || !Proof.same(proof, proofOf(Proof.Role.CLIENT))) {
        throw new IOException("it does not know the job's secret");
      }
      expected = Wire.FETCH;
      say(new Wire.Frame(Wire.PROOF).put(proofOf(Proof.Role.SERVER)).made());
    } else {
      int id = Wire.number(frame);
      int reduce = Wire.number(frame);
      long offset = Wire.longNumber(frame);
      int most = Wire.number(frame);
      Wire.require(offset >= 0 && most >= 0);
      queue(new Answer(id, new MapOutput(Wire.text(frame), reduce), offset, most));
    }
  }

  private byte[] proofOf(Proof.Role role) {
    return Proof.of(job.secret(), role, job.id(), clientNonce, serverNonce);
  }

  private void say(ByteBuffer frame) {
    queue(new Answer(frame));
  }

  private void queue(Answer answer) {
    if (answers.isEmpty()) {
      progressed = System.nanoTime();
    }
    answers.add(answer);
    queuedBytes += answer.most;
  }

  private void write() throws IOException {
    long sent = 0;
    while (!answers.isEmpty() && sent < TURN_BYTES) {
      Answer first = answers.peek();
      long now = first.write(TURN_BYTES - sent);
      if (now > 0) {
        sent += now;
        progressed = System.nanoTime();
      }
      if (!first.isDone()) {
        // Either the client takes no more for the moment, or it is the others' turn.
        return;
      }
      answers.remove();
      queuedBytes -= first.most;
    }
  }

  /** Answers one request. Its file is opened when its turn comes, so that one at most is open. */
  private final class Answer {
    private final int id;
    private final MapOutput output;
    private final long offset;
    private final int most;
    private ByteBuffer head;
    private Outputs.Source file;
    private long at;
    private long left;

    Answer(int id, MapOutput output, long offset, int most) {
      this.id = id;
      this.output = output;
      this.offset = offset;
      this.most = most;
    }

    Answer(ByteBuffer frame) {
      this(0, null, 0, 0);
      head = frame;
    }

    boolean isDone() {
      return head != null && !head.hasRemaining() && left == 0;
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

    /** Writes at most about {@code room} bytes; returns how many. */
    long write(long room) throws IOException {
      if (head == null) {
        prepare();
      }
      long written = 0;
      if (head.hasRemaining()) {
        written += channel.write(head);
        if (head.hasRemaining()) {
          return written;
        }
      }
      while (left > 0 && written < room) {
        long now = file.transferTo(at, Math.min(left, room - written), channel);
        if (now <= 0) {
          if (file.size() <= at) {
            throw new EOFException("the file of " + output + " has become shorter");
          }
          break;
        }
        at += now;
        left -= now;
        written += now;
      }
      if (left == 0) {
        close();
      }
      return written;
    }

    private void prepare() {
      try {
        Outputs.Range range = outputs.find(job, output);
        if (offset > range.length()) {
          throw new RefusedException(
              output + " has " + range.length() + " bytes, asked for those from " + offset);
        }
        left = Math.min(most, range.length() - offset);
        at = range.start() + offset;
        if (left > 0) {
          file = outputs.open(job, output);
          if (file.size() < at + left) {
            throw new RefusedException("the file of " + output + " is shorter than its index says");
          }
        }
        head =
            new Wire.Frame(Wire.DATA)
                .put(id)
                .put(range.length())
                .put(range.rawLength())
                .made((int) left);
      } catch (IOException e) {
        LOG.info("{} is not sent: {}", output, e.toString());
        close();
        left = 0;
        head = Wire.without(id, e).made();
      }
    }
  }
}
