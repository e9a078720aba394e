package kvasir.shuffle;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import kvasir.transport.Settings;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.MapTaskCompletionEventsUpdate;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;

/** Asks the application master which maps of a job are done. Used by one thread. */
public final class MapEvents {
  private static final int MOST_EVENTS = 10_000;

  private final ShuffleConsumerPlugin.Context<?, ?> context;
  private final TaskAttemptID reduce;
  private final int maps;
  private final Listener listener;
  private final long pollNanos;
  private long poll = System.nanoTime();
  private int first;

  /** Hears of maps, by their numbers from 0. */
  public interface Listener {
    /** An attempt is done; {@code url} is that of the shuffle of its host. It may come again. */
    void succeeded(int map, TaskAttemptID attempt, String url);

    /** The output of an attempt is gone or will be. */
    void withdrawn(int map, TaskAttemptID attempt);

    /** There will be no output of a map: the job bears that it has failed for good. */
    void givenUp(int map);
  }

  /**
   * Tells {@code listener} of a job with so many maps.
   *
   * @param plugin of which the shuffle is; kvasir.PLUGIN.poll-ms is the time between two questions,
   *     by default as in Hadoop's own shuffle
   */
  public MapEvents(
      ShuffleConsumerPlugin.Context<?, ?> context, String plugin, int maps, Listener listener) {
    this(context, maps, listener, pollMs(context.getJobConf(), plugin));
  }

  /** Tells {@code listener} of all maps of the job, when events are taken. */
  MapEvents(ShuffleConsumerPlugin.Context<?, ?> context, Listener listener) {
    this(context, context.getJobConf().getNumMapTasks(), listener, 0);
  }

  private MapEvents(
      ShuffleConsumerPlugin.Context<?, ?> context, int maps, Listener listener, int pollMs) {
    this.context = context;
    this.reduce = TaskAttemptID.downgrade(context.getReduceId());
    this.maps = maps;
    this.listener = listener;
    this.pollNanos = TimeUnit.MILLISECONDS.toNanos(pollMs);
  }

  /** Reads the milliseconds between two questions. */
  static int pollMs(Configuration conf, String plugin) {
    return Settings.within(conf, "kvasir." + plugin + ".poll-ms", 1000, 1, 60_000);
  }

  /** Takes all events when it is time for a question; returns when it is time again. */
  public long takeWhenDue(long now) throws IOException {
    if (now - poll >= 0) {
      take();
      poll = now + pollNanos;
    }
    return poll;
  }

  /**
   * Takes all events that have not been taken.
   *
   * @throws IOException when the application master does not answer, or tells of maps that the job
   *     does not have
   */
  public void take() throws IOException {
    MapTaskCompletionEventsUpdate update;
    do {
      update =
          context
              .getUmbilical()
              .getMapCompletionEvents(reduce.getJobID(), first, MOST_EVENTS, reduce);
      if (update.shouldReset()) {
        // What is known stays right: attempts have names.
        first = 0;
      }
      for (TaskCompletionEvent event : update.getMapTaskCompletionEvents()) {
        first++;
        take(event);
      }
    } while (update.getMapTaskCompletionEvents().length == MOST_EVENTS);
  }

  private void take(TaskCompletionEvent event) throws IOException {
    TaskAttemptID attempt = event.getTaskAttemptId();
    int map = attempt.getTaskID().getId();
    if (!event.isMapTask() || map >= maps) {
      throw new IOException("a map that this job does not have has ended: " + attempt);
    }
    switch (event.getTaskStatus()) {
      case SUCCEEDED:
        listener.succeeded(map, attempt, event.getTaskTrackerHttp());
        break;
      case OBSOLETE:
      case FAILED:
      case KILLED:
        listener.withdrawn(map, attempt);
        break;
      default:
        listener.givenUp(map);
    }
  }

  /**
   * Returns the address of a server that stands beside a host's shuffle.
   *
   * @param url what the host has announced
   * @param offset what the server's port is above the shuffle's
   * @throws IllegalArgumentException when there is no address in {@code url}
   */
  public static InetSocketAddress beside(String url, int offset) {
    URI stock = URI.create(url);
    if (stock.getHost() == null || stock.getPort() <= 0) {
      throw new IllegalArgumentException("the shuffle of a map's host has no address: " + url);
    }
    return new InetSocketAddress(stock.getHost(), stock.getPort() + offset);
  }
}
