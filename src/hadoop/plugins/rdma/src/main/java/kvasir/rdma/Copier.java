package kvasir.rdma;

import java.io.IOException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import kvasir.shuffle.CopyProgress;
import kvasir.shuffle.FetchTries;
import kvasir.shuffle.MapEvents;
import kvasir.shuffle.Reports;
import kvasir.shuffle.Waiting;
import kvasir.transport.MapOutput;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts to fetch the outputs of maps when they are done. All of it is done by one thread. */
final class Copier implements MapEvents.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Copier.class);

  private final ShuffleConsumerPlugin.Context<?, ?> context;
  private final int reduce;
  private final Clients clients;
  private final Guard guard;
  private final Reports reports;
  private final MapEvents events;
  private final int portOffset;
  private final FetchTries tries;
  private final CopyProgress copied;
  private final Source[] sources;
  private final Map<Inflow, Source> fetching = new IdentityHashMap<>();
  private final Waiting<Source> waiting = new Waiting<>();
  private int running;

  Copier(
      ShuffleConsumerPlugin.Context<?, ?> context,
      int maps,
      Clients clients,
      Guard guard,
      Reports reports) {
    this.context = context;
    this.reduce = context.getReduceId().getTaskID().getId();
    this.clients = clients;
    this.guard = guard;
    this.reports = reports;
    this.events = new MapEvents(context, "rdma", maps, this);
    this.portOffset = Service.portOffset(context.getJobConf());
    this.tries = new FetchTries(context.getJobConf(), "rdma");
    this.copied = new CopyProgress(context, "begun", maps);
    this.sources = new Source[maps];
    for (int i = 0; i < maps; i++) {
      sources[i] = new Source();
    }
    this.running = maps;
  }

  /**
   * Returns the outputs of all maps, in the order of the maps, when the first bytes of each are
   * here. The others come by themselves.
   *
   * @throws IOException when one cannot be had
   */
  List<Inflow> collect() throws IOException, InterruptedException {
    while (!copied.isComplete()) {
      long now = System.nanoTime();
      long poll = events.takeWhenDue(now);
      for (Source next = waiting.next(now); next != null; next = waiting.next(now)) {
        begin(next);
      }
      guard.checkHeap();
      if (running > 0) {
        guard.relieve();
      }
      context.getReporter().progress();
      long wake = waiting.until(poll);
      // A map that has been given up may have been the last.
      Inflow told = guard.await(copied.isComplete() ? 0 : wake - System.nanoTime());
      while (told != null) {
        take(told);
        told = guard.await(0);
      }
    }
    List<Inflow> found = new ArrayList<>();
    for (Source source : sources) {
      if (source.inflow != null) {
        found.add(source.inflow);
      }
    }
    return found;
  }

  @Override
  public void succeeded(int map, TaskAttemptID attempt, String url) {
    Source source = sources[map];
    if (attempt.equals(source.attempt) || source.isDone() || source.given) {
      return;
    }
    drop(source);
    if (source.attempt == null) {
      running--;
    }
    source.attempt = attempt;
    source.url = url;
    source.failed = 0;
    waiting.add(source, 0);
  }

  @Override
  public void withdrawn(int map, TaskAttemptID attempt) {
    Source source = sources[map];
    if (!attempt.equals(source.attempt) || source.isDone()) {
      return;
    }
    LOG.info("the output of {} is withdrawn", attempt);
    drop(source);
    waiting.remove(source);
    source.attempt = null;
    running++;
  }

  @Override
  public void givenUp(int map) {
    Source source = sources[map];
    if (source.begun || source.given) {
      return;
    }
    drop(source);
    waiting.remove(source);
    if (source.attempt == null) {
      running--;
    }
    source.given = true;
    copied.add(1);
  }

  private void begin(Source source) throws IOException {
    try {
      source.inflow =
          new Inflow(
              source.attempt,
              MapEvents.beside(source.url, portOffset),
              new MapOutput(source.attempt.toString(), reduce),
              clients,
              guard,
              context.getReporter(),
              context.getReduceShuffleBytes());
    } catch (IllegalArgumentException e) {
      unreachable(source, new IOException(e.getMessage(), e));
      return;
    }
    fetching.put(source.inflow, source);
    source.inflow.start();
  }

  /** Takes word of an output's first bytes or failure. */
  private void take(Inflow told) throws IOException {
    Source source = fetching.get(told);
    if (source == null) {
      return;
    }
    IOException reason = told.failure();
    if (reason != null && told.hasBegun()) {
      // Its first bytes are asked for again: that tells whether its map has to run again.
      drop(source);
      again(source, reason);
    } else if (reason != null) {
      drop(source);
      unreachable(source, reason);
    } else if (!source.begun) {
      source.begun = true;
      copied.add(1);
    }
  }

  /** Reports an output of which not even the first bytes have come. */
  private void unreachable(Source source, IOException reason) throws IOException {
    TaskAttemptID attempt = source.attempt;
    // With its host lost, the attempt may be withdrawn by now.
    events.take();
    if (attempt.equals(source.attempt) && !source.given) {
      reports.failedNow(attempt);
      again(source, reason);
    }
  }

  private void again(Source source, IOException reason) throws IOException {
    source.failed++;
    waiting.add(source, tries.backoffMs(source.failed, source.attempt, reason));
  }

  /** Forgets what has come of an output. */
  private void drop(Source source) {
    if (source.inflow == null) {
      return;
    }
    fetching.remove(source.inflow);
    source.inflow.close();
    source.inflow = null;
    if (source.begun) {
      source.begun = false;
      copied.add(-1);
    }
  }

  /** Map whose output is wanted. */
  private static final class Source {
    /** The attempt that has succeeded, null when none has. */
    private TaskAttemptID attempt;

    private String url;
    private int failed;
    private Inflow inflow;

    /** Whether the first bytes are here. */
    private boolean begun;

    private boolean given;

    /** Returns whether all of it is here: it stays right when the server is lost. */
    boolean isDone() {
      return begun && inflow.isComplete();
    }
  }
}
