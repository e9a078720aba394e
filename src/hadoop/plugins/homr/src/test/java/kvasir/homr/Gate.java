package kvasir.homr;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import kvasir.transport.MapOutput;
import kvasir.transport.MapOutputClient;
import kvasir.transport.Piece;

/** Fetches the first bytes of outputs, and the others when the test allows it. */
final class Gate implements MapOutputClient {
  private final List<Runnable> held = new ArrayList<>();
  private final List<MapOutput> asked = new ArrayList<>();
  private MapOutputClient client;
  private boolean open;

  Gate of(MapOutputClient wrapped) {
    client = wrapped;
    return this;
  }

  @Override
  public CompletableFuture<Piece> fetch(
      InetSocketAddress server, MapOutput output, long offset, ByteBuffer into) {
    synchronized (this) {
      if (offset > 0) {
        asked.add(output);
      }
      if (offset > 0 && !open) {
        CompletableFuture<Piece> later = new CompletableFuture<>();
        held.add(() -> pass(server, output, offset, into, later));
        return later;
      }
    }
    return client.fetch(server, output, offset, into);
  }

  private void pass(
      InetSocketAddress server,
      MapOutput output,
      long offset,
      ByteBuffer into,
      CompletableFuture<Piece> later) {
    client
        .fetch(server, output, offset, into)
        .whenComplete(
            (piece, problem) -> {
              if (problem == null) {
                later.complete(piece);
              } else {
                later.completeExceptionally(problem);
              }
            });
  }

  /** Lets everything pass from now on. */
  void open() {
    List<Runnable> all;
    synchronized (this) {
      open = true;
      all = new ArrayList<>(held);
      held.clear();
    }
    all.forEach(Runnable::run);
  }

  /** Returns how many fetches wait. */
  synchronized int waiting() {
    return held.size();
  }

  /** Returns the outputs of which other bytes than the first were asked for, in this order. */
  synchronized List<MapOutput> asked() {
    return new ArrayList<>(asked);
  }

  @Override
  public void close() {
    client.close();
  }
}
