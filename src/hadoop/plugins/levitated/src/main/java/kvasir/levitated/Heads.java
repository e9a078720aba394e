package kvasir.levitated;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import kvasir.shuffle.CopyProgress;
import kvasir.shuffle.FetchTries;
import kvasir.shuffle.MapEvents;
import kvasir.shuffle.Reports;
import kvasir.transport.MapOutput;
import kvasir.transport.MapOutputClient;
import kvasir.transport.Piece;
import kvasir.transport.RetryingClient;
import kvasir.transport.Settings;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches the first bytes of each map's output while the maps run, as far as there is memory.
 *
 * <p>All decisions are taken in the thread that calls {@link #collect}; the client's thread only
 * leaves word.
 */
final class Heads implements MapEvents.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Heads.class);

  private final ShuffleConsumerPlugin.Context<?, ?> context;
  private final TaskAttemptID reduce;
  private final MapEvents events;
  private final MapOutputClient client;
  private final Settings settings;
  private final Streams streams;
  private final Reports reports;
  private final FetchTries tries;
  private final CopyProgress copied;
  private final Source[] sources;
  private final BlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();

  Heads(
      ShuffleConsumerPlugin.Context<?, ?> context,
      int maps,
      MapOutputClient client,
      Settings settings,
      Streams streams,
      Reports reports) {
    this.context = context;
    this.reduce = TaskAttemptID.downgrade(context.getReduceId());
    this.events = new MapEvents(context, "levitated", maps, this);
    this.client = client;
    this.settings = settings;
    this.streams = streams;
    this.reports = reports;
    this.tries = new FetchTries(context.getJobConf(), "levitated");
    this.copied = new CopyProgress(context, "heads", maps);
    this.sources = new Source[maps];
    for (int i = 0; i < maps; i++) {
      sources[i] = new Source(i);
    }
  }

  /**
   * Returns the outputs of all maps, in the order of the maps, when each has its head.
   *
   * <p>What is fetched of them beyond the head may still fail.
   *
   * @throws IOException when one cannot be had
   */
  List<RemoteOutput> collect() throws IOException, InterruptedException {
    while (!isReady()) {
      long now = System.nanoTime();
      long wake = events.takeWhenDue(now);
      for (Source source : sources) {
        if (source.isDue(now)) {
          fetch(source);
        } else if (source.waits() && source.notBefore - wake < 0) {
          wake = source.notBefore;
        }
      }
      context.getReporter().progress();
      Arrival first = arrivals.poll(Math.max(0, wake - now), TimeUnit.NANOSECONDS);
      for (Arrival arrival = first; arrival != null; arrival = arrivals.poll()) {
        arrived(arrival);
      }
    }
    List<RemoteOutput> found = new ArrayList<>();
    for (Source source : sources) {
      if (source.output != null) {
        found.add(source.output);
      }
    }
    return found;
  }

  /** Returns whether all heads are here and nothing is known to be missing of what follows them. */
  private boolean isReady() throws IOException {
    for (Source source : sources) {
      IOException reason = source.output == null ? null : source.output.lost();
      if (reason != null) {
        // Its head is asked for again: that tells whether its map has to run again.
        drop(source);
        failed(source, reason);
      }
    }
    return copied.isComplete();
  }

  @Override
  public void succeeded(int map, TaskAttemptID attempt, String url) {
    Source source = sources[map];
    if (source.output == null && !attempt.equals(source.attempt)) {
      source.begin(attempt, url);
    }
  }

  @Override
  public void withdrawn(int map, TaskAttemptID attempt) {
    if (attempt.equals(sources[map].attempt)) {
      withdraw(sources[map]);
    }
  }

  @Override
  public void givenUp(int map) {
    Source source = sources[map];
    if (!source.isDone()) {
      source.attempt = null;
      source.given = true;
      copied.add(1);
    }
  }

  /** Forgets an attempt whose output is gone or will be, unless all of it is here. */
  private void withdraw(Source source) {
    if (source.output != null) {
      if (source.output.isComplete()) {
        return;
      }
      drop(source);
    }
    source.attempt = null;
  }

  private void drop(Source source) {
    LOG.info("{} is dropped", source.output);
    source.output.close();
    source.output = null;
    copied.add(-1);
  }

  private void fetch(Source source) {
    source.fetching = true;
    TaskAttemptID attempt = source.attempt;
    ByteBuffer buffer = streams.buffers.take();
    InetSocketAddress server;
    try {
      server = MapEvents.beside(source.url, settings.portOffset());
    } catch (IllegalArgumentException e) {
      arrivals.add(new Arrival(source, attempt, buffer, null, null, e));
      return;
    }
    MapOutput output = new MapOutput(attempt.toString(), reduce.getTaskID().getId());
    client
        .fetch(server, output, 0, buffer)
        .whenComplete(
            (piece, problem) ->
                arrivals.add(new Arrival(source, attempt, buffer, server, piece, problem)));
  }

  private void arrived(Arrival arrival) throws IOException {
    Source source = arrival.source;
    source.fetching = false;
    if (!arrival.attempt.equals(source.attempt)) {
      streams.buffers.give(arrival.buffer);
      return;
    }
    if (arrival.problem == null) {
      MapOutput output = new MapOutput(source.attempt.toString(), reduce.getTaskID().getId());
      source.output =
          new RemoteOutput(source.attempt, arrival.server, output, arrival.piece, streams);
      copied.add(1);
      return;
    }
    streams.buffers.give(arrival.buffer);
    // With its host lost, the attempt may be withdrawn by now.
    events.take();
    if (!arrival.attempt.equals(source.attempt)) {
      return;
    }
    reports.failedNow(source.attempt);
    failed(source, RetryingClient.reason(arrival.problem));
  }

  private void failed(Source source, IOException reason) throws IOException {
    source.failed++;
    long waits = tries.backoffMs(source.failed, source.attempt, reason);
    source.notBefore = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waits);
  }

  /** Map whose output is wanted. */
  private static final class Source {
    private final int map;
    private TaskAttemptID attempt;
    private String url;
    private int failed;
    private long notBefore = System.nanoTime();
    private boolean fetching;
    private boolean given;
    private RemoteOutput output;

    Source(int map) {
      this.map = map;
    }

    void begin(TaskAttemptID next, String at) {
      attempt = next;
      url = at;
      failed = 0;
      notBefore = System.nanoTime();
    }

    boolean isDone() {
      return given || output != null;
    }

    boolean waits() {
      return attempt != null && !isDone() && !fetching;
    }

    boolean isDue(long now) {
      return waits() && now - notBefore >= 0;
    }

    @Override
    public String toString() {
      return "map " + map;
    }
  }

  /** Word of the client. */
  private static final class Arrival {
    private final Source source;
    private final TaskAttemptID attempt;
    private final ByteBuffer buffer;
    private final InetSocketAddress server;
    private final Piece piece;
    private final Throwable problem;

    Arrival(
        Source source,
        TaskAttemptID attempt,
        ByteBuffer buffer,
        InetSocketAddress server,
        Piece piece,
        Throwable problem) {
      this.source = source;
      this.attempt = attempt;
      this.buffer = buffer;
      this.server = server;
      this.piece = piece;
      this.problem = problem;
    }
  }
}
