package kvasir.shuffle;

import java.io.IOException;
import kvasir.transport.RetryingClient;
import kvasir.transport.Settings;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says when a map output that could not be had is asked for again. */
public final class FetchTries {
  private static final Logger LOG = LoggerFactory.getLogger(FetchTries.class);
  private static final int BACKOFF_MS = 1000;

  private final int most;

  /**
   * Reads kvasir.PLUGIN.tries: how often an output is begun before the stock shuffle takes over.
   */
  public FetchTries(Configuration conf, String plugin) {
    this.most = Settings.within(conf, "kvasir." + plugin + ".tries", 10, 1, 1000);
  }

  /**
   * Returns the milliseconds to wait after a number of failures, from 1.
   *
   * @param attempt at the map whose output could not be had
   * @throws IOException when it was asked for often enough
   */
  public long backoffMs(int failed, TaskAttemptID attempt, IOException reason) throws IOException {
    LOG.warn("try {} for the output of {}: {}", failed, attempt, reason.toString());
    if (failed >= most) {
      throw new IOException(
          "the output of "
              + attempt
              + " could not be had in "
              + most
              + " tries: "
              + reason.getMessage(),
          reason);
    }
    return RetryingClient.backoffMs(failed, BACKOFF_MS);
  }
}
