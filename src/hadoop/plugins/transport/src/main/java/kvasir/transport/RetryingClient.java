package kvasir.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Tries a fetch again when its server could not be reached, each time after a longer while. */
public final class RetryingClient implements MapOutputClient {
  private static final long LONGEST_MS = 10_000;

  private final MapOutputClient client;
  private final int tries;
  private final int backoffMs;
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "kvasir-transport-retries");
            thread.setDaemon(true);
            return thread;
          });

  /** Tries again with {@code client}, which it closes when it is closed. */
  public RetryingClient(MapOutputClient client, Settings settings) {
    this.client = client;
    this.tries = settings.tries();
    this.backoffMs = settings.backoffMs();
  }

  /**
   * Returns how long to wait after a number of failed tries, from 1: random, so that many differ.
   */
  public static long backoffMs(int failed, int first) {
    long longest = Math.min(LONGEST_MS, (long) first << Math.min(20, failed - 1));
    return longest / 2 + ThreadLocalRandom.current().nextLong(longest / 2 + 1);
  }

  @Override
  public CompletableFuture<Piece> fetch(
      InetSocketAddress server, MapOutput output, long offset, ByteBuffer into) {
    CompletableFuture<Piece> done = new CompletableFuture<>();
    attempt(server, output, offset, into, into.position(), into.limit(), 1, done);
    return done;
  }

  private void attempt(
      InetSocketAddress server,
      MapOutput output,
      long offset,
      ByteBuffer into,
      int start,
      int end,
      int number,
      CompletableFuture<Piece> done) {
    into.limit(end).position(start);
    client
        .fetch(server, output, offset, into)
        .whenComplete(
            (piece, problem) -> {
              if (problem == null) {
                done.complete(piece);
                return;
              }
              if (problem instanceof RefusedException || number == tries) {
                done.completeExceptionally(problem);
                return;
              }
              try {
                clock.schedule(
                    () -> attempt(server, output, offset, into, start, end, number + 1, done),
                    backoffMs(number, backoffMs),
                    TimeUnit.MILLISECONDS);
              } catch (RejectedExecutionException e) {
                done.completeExceptionally(problem);
              }
            });
  }

  @Override
  public void close() {
    // What waits for its next try gets it, and its failure, from a client that is closed.
    client.close();
    clock.shutdown();
  }

  /** Returns the reason why a fetch has failed. */
  public static IOException reason(Throwable problem) {
    Throwable cause = problem;
    while (cause.getCause() != null
        && (cause instanceof CompletionException || cause instanceof ExecutionException)) {
      cause = cause.getCause();
    }
    return cause instanceof IOException ? (IOException) cause : new IOException(cause);
  }
}
