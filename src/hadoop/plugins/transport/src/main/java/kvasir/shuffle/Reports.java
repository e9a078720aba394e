package kvasir.shuffle;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the application master of map outputs that cannot be had.
 *
 * <p>It runs a map again after a number of such reports. Of an output that was withdrawn it expects
 * none: when it hears of one that was lost with its host, it fails the job (Hadoop 3.4.2).
 */
public final class Reports {
  private static final Logger LOG = LoggerFactory.getLogger(Reports.class);

  /** Time in which failures of one map output are one: a lost connection fails all its fetches. */
  private static final long ONE_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private final ShuffleConsumerPlugin.Context<?, ?> context;
  private final Map<TaskAttemptID, Long> latest = new HashMap<>();

  /** Reports to the application master of a reduce task. */
  public Reports(ShuffleConsumerPlugin.Context<?, ?> context) {
    this.context = context;
  }

  /** Reports a failed fetch with the task's next status. */
  public synchronized void failed(TaskAttemptID map) {
    long now = System.nanoTime();
    Long before = latest.get(map);
    if ((before == null || now - before > ONE_FAILURE_NANOS) && !isWithdrawn(map)) {
      latest.put(map, now);
      add(map);
    }
  }

  /** Reports a failed fetch at once. Who reports must have looked whether it was withdrawn. */
  public synchronized void failedNow(TaskAttemptID map) {
    add(map);
    send();
  }

  /** Reports an output as often as it takes to have its map run again, at once. */
  public synchronized void lost(TaskAttemptID map) {
    if (isWithdrawn(map)) {
      return;
    }
    int needed =
        context
            .getJobConf()
            .getInt(
                MRJobConfig.MAX_FETCH_FAILURES_NOTIFICATIONS,
                MRJobConfig.DEFAULT_MAX_FETCH_FAILURES_NOTIFICATIONS);
    for (int i = 0; i < needed; i++) {
      add(map);
    }
    send();
  }

  /** Returns whether the job counts on an output no more. */
  private boolean isWithdrawn(TaskAttemptID map) {
    Withdrawn withdrawn = new Withdrawn();
    try {
      new MapEvents(context, withdrawn).take();
    } catch (IOException e) {
      LOG.warn("the application master does not tell of maps", e);
    }
    return withdrawn.attempts.contains(map);
  }

  private void send() {
    try {
      context.getReduceTask().statusUpdate(context.getUmbilical());
    } catch (IOException e) {
      LOG.warn("failed fetches could not be reported", e);
    }
  }

  private void add(TaskAttemptID map) {
    context.getFailedShuffleCounter().increment(1);
    context.getStatus().addFetchFailedMap(map);
    // Without progress the status is not sent.
    context.getReporter().progress();
  }

  /** Hears which outputs are gone or will be. */
  private static final class Withdrawn implements MapEvents.Listener {
    private final Set<TaskAttemptID> attempts = new HashSet<>();

    @Override
    public void succeeded(int map, TaskAttemptID attempt, String url) {}

    @Override
    public void withdrawn(int map, TaskAttemptID attempt) {
      attempts.add(attempt);
    }

    @Override
    public void givenUp(int map) {}
  }
}
