package kvasir.levitated;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import kvasir.shuffle.FetchFailedException;
import kvasir.shuffle.WindowedOutput;
import kvasir.transport.MapOutput;
import kvasir.transport.Piece;
import kvasir.transport.RetryingClient;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * Reads a map output that stays on its server: holds the bytes that are merged and some that come
 * next, which it fetches from its beginning on, while other maps still run.
 *
 * <p>Used by one thread.
 */
final class RemoteOutput extends WindowedOutput {
  private final InetSocketAddress server;
  private final MapOutput output;
  private final Streams streams;
  private final ArrayDeque<Coming> coming = new ArrayDeque<>();
  private ByteBuffer current;
  private long had;
  private long asked;

  /** Starts with the head of an output, whose buffer it owns from now on, and fetches ahead. */
  RemoteOutput(
      TaskAttemptID map, InetSocketAddress server, MapOutput output, Piece head, Streams streams) {
    super(map);
    this.server = server;
    this.output = output;
    this.streams = streams;
    setLengths(head.length(), head.rawLength());
    take(head.bytes());
    show(current);
    asked = had;
    fetchAhead();
  }

  /** Returns whether all of it is here. */
  boolean isComplete() {
    return asked == length()
        && coming.stream()
            .allMatch(next -> next.piece.isDone() && !next.piece.isCompletedExceptionally());
  }

  /** Returns why some of what is fetched ahead will not come, null when nothing is known. */
  IOException lost() {
    for (Coming next : coming) {
      if (next.piece.isCompletedExceptionally()) {
        return next.piece.handle((piece, problem) -> RetryingClient.reason(problem)).join();
      }
    }
    return null;
  }

  /** Gives the buffers back, those that are written to when that is over. */
  @Override
  public void close() {
    shut();
    leave();
    for (Coming next : coming) {
      next.piece.whenComplete((piece, problem) -> streams.buffers.give(next.buffer));
    }
    coming.clear();
    asked = length();
  }

  @Override
  public String toString() {
    return "map output " + map() + " on " + server;
  }

  @Override
  protected ByteBuffer next() throws IOException {
    if (current != null) {
      leave();
      fetchAhead();
    }
    if (coming.isEmpty()) {
      return null;
    }
    Coming next = coming.peek();
    if (differs(await(next))) {
      throw new FetchFailedException(this + " has changed its length", null);
    }
    coming.remove();
    take(next.buffer);
    return current;
  }

  private void leave() {
    if (current != null) {
      streams.buffers.give(current);
      current = null;
    }
  }

  private void take(ByteBuffer bytes) {
    current = bytes;
    had += bytes.remaining();
    streams.bytes.increment(bytes.remaining());
  }

  private void fetchAhead() {
    while (asked < length() && coming.size() < streams.ahead) {
      ByteBuffer buffer = streams.buffers.take();
      long offset = asked;
      asked += Math.min(buffer.remaining(), length() - offset);
      coming.add(new Coming(buffer, streams.client.fetch(server, output, offset, buffer)));
    }
  }

  private Piece await(Coming next) throws IOException {
    while (true) {
      try {
        return next.piece.get(1, TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        streams.progress.progress();
      } catch (ExecutionException e) {
        throw unreadable(had, RetryingClient.reason(e));
      } catch (InterruptedException e) {
        throw interrupted(e);
      }
    }
  }

  /** Piece that was asked for. */
  private static final class Coming {
    private final ByteBuffer buffer;
    private final CompletableFuture<Piece> piece;

    Coming(ByteBuffer buffer, CompletableFuture<Piece> piece) {
      this.buffer = buffer;
      this.piece = piece;
    }
  }
}
