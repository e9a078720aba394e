package kvasir.transport;

import org.apache.hadoop.conf.Configuration;

/** Reads the properties of the transport. */
public final class Settings {
  /** Milliseconds without a byte after which a connection counts as dead. */
  public static final String TIMEOUT_MS = "kvasir.transport.timeout-ms";

  /** Kilobytes that a client asks a server for before it has got them, and a server has queued. */
  public static final String WINDOW_KB = "kvasir.transport.window-kb";

  /** Threads of a server. */
  public static final String SERVER_THREADS = "kvasir.transport.server-threads";

  /** What a server's port is above the port of Hadoop's own shuffle on the same host. */
  public static final String PORT_OFFSET = "kvasir.transport.port-offset";

  /** How often a fetch is tried. */
  public static final String TRIES = "kvasir.transport.tries";

  /** Milliseconds between the first two tries; doubled for each further one. */
  public static final String BACKOFF_MS = "kvasir.transport.backoff-ms";

  private final int timeoutMs;
  private final int windowBytes;
  private final int serverThreads;
  private final int portOffset;
  private final int tries;
  private final int backoffMs;

  /**
   * Reads properties.
   *
   * @throws InvalidSettingException when one of them is out of its range
   */
  public Settings(Configuration conf) {
    timeoutMs = within(conf, TIMEOUT_MS, 30_000, 1, 3_600_000);
    windowBytes = within(conf, WINDOW_KB, 4096, 1, 1 << 20) << 10;
    serverThreads = within(conf, SERVER_THREADS, 4, 1, 256);
    portOffset = within(conf, PORT_OFFSET, 1, 1, 60_000);
    tries = within(conf, TRIES, 6, 1, 1000);
    backoffMs = within(conf, BACKOFF_MS, 200, 1, 60_000);
  }

  public int timeoutMs() {
    return timeoutMs;
  }

  public int windowBytes() {
    return windowBytes;
  }

  public int serverThreads() {
    return serverThreads;
  }

  public int portOffset() {
    return portOffset;
  }

  public int tries() {
    return tries;
  }

  public int backoffMs() {
    return backoffMs;
  }

  /**
   * Reads a whole number.
   *
   * @throws InvalidSettingException when it is not from {@code least} to {@code most}
   */
  public static int within(Configuration conf, String name, int normal, int least, int most) {
    String text = conf.getTrimmed(name, Integer.toString(normal));
    try {
      int value = Integer.parseInt(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new InvalidSettingException(
        name + ": expected a whole number from " + least + " to " + most + ", got " + text);
  }
}
