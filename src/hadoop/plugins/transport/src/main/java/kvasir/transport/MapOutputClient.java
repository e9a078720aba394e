package kvasir.transport;

import java.io.Closeable;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** Fetches ranges of map outputs of one job. Safe for use by several threads. */
public interface MapOutputClient extends Closeable {
  /**
   * Starts to fetch as many bytes as {@code into} has room for, or as there are after {@code
   * offset}.
   *
   * <p>The buffer belongs to the client until the future is done, which it always gets within the
   * time limits of {@link Settings}. What depends on the future runs in the client's thread and
   * must not block.
   *
   * @return a piece, or {@link RefusedException} when the server has no such output, or another
   *     IOException when the server cannot be reached, does not answer in time or is no server of
   *     this job
   */
  CompletableFuture<Piece> fetch(
      InetSocketAddress server, MapOutput output, long offset, ByteBuffer into);

  /** Ends all connections; fetches that are not done fail. */
  @Override
  void close();
}
