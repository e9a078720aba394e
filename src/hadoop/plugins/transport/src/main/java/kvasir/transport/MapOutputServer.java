package kvasir.transport;

import java.io.Closeable;

/** Serves map outputs to clients that know their job's secret. */
public interface MapOutputServer extends Closeable {
  /** Returns the port that it listens on. */
  int port();

  /** Ends the connections of a job that is over. */
  void forget(String job);

  /** Ends all connections and stops listening. */
  @Override
  void close();
}
