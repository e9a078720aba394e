package kvasir.homr;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import kvasir.shuffle.CopyProgress;
import kvasir.shuffle.FetchTries;
import kvasir.shuffle.MapEvents;
import kvasir.shuffle.Reports;
import kvasir.shuffle.Waiting;
import kvasir.transport.MapOutput;
import kvasir.transport.MapOutputClient;
import kvasir.transport.Settings;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts to fetch the outputs of maps when these end, and has them checked and merged while others
 * run.
 *
 * <p>All decisions are taken in the thread that calls {@link #collect}; others leave word in its
 * inbox.
 */
final class Copier implements MapEvents.Listener, Incoming.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Copier.class);

  private final ShuffleConsumerPlugin.Context<?, ?> context;
  private final int reduce;
  private final MapOutputClient once;
  private final MapOutputClient retrying;
  private final Pool pool;
  private final Merges<?, ?> merges;
  private final Reports reports;
  private final MapEvents events;
  private final Settings settings;
  private final FetchTries tries;

  /** Counts outputs whose first bytes are here, or that will never be. */
  private final CopyProgress copied;

  private final Source[] sources;
  private final Ahead ahead;
  private final BlockingQueue<Word> inbox = new LinkedBlockingQueue<>();
  private final Waiting<Source> waiting = new Waiting<>();

  /** Checks that were asked for and are not done. */
  private int checks;

  Copier(
      ShuffleConsumerPlugin.Context<?, ?> context,
      MapOutputClient once,
      MapOutputClient retrying,
      Settings settings,
      Pool pool,
      Merges<?, ?> merges,
      Reports reports) {
    int maps = context.getJobConf().getNumMapTasks();
    this.context = context;
    this.reduce = context.getReduceId().getTaskID().getId();
    this.once = once;
    this.retrying = retrying;
    this.settings = settings;
    this.pool = pool;
    this.merges = merges;
    this.reports = reports;
    this.events = new MapEvents(context, "homr", maps, this);
    this.ahead = new Ahead(context.getJobConf(), pool, merges, inbox::add, this::again);
    this.tries = new FetchTries(context.getJobConf(), "homr");
    this.copied = new CopyProgress(context, "begun", maps);
    this.sources = new Source[maps];
    for (int i = 0; i < maps; i++) {
      sources[i] = new Source();
    }
  }

  /**
   * Returns all that the maps have left for this reduce, merged or not, when the first bytes of
   * each output are here. The others come by themselves.
   *
   * @throws IOException when an output cannot be had
   */
  List<Held> collect() throws IOException, InterruptedException {
    while (true) {
      long now = System.nanoTime();
      long poll = events.takeWhenDue(now);
      for (Source next = waiting.next(now); next != null; next = waiting.next(now)) {
        begin(next);
      }
      boolean all = copied.isComplete();
      pool.stage(all);
      if (all && checks == 0 && ahead.isIdle()) {
        return found();
      }
      if (!all) {
        ahead.merge(sources);
      }
      pool.checkHeap();
      context.getReporter().progress();
      long wait = Math.max(0, waiting.until(poll) - System.nanoTime());
      for (Word word = inbox.poll(wait, TimeUnit.NANOSECONDS); word != null; word = inbox.poll()) {
        word.take();
      }
    }
  }

  private List<Held> found() {
    List<Held> all = new ArrayList<>(ahead.runs());
    for (Source source : sources) {
      if (source.output != null) {
        all.add(source.output);
      }
    }
    return all;
  }

  /** Returns the number of outputs that there are. */
  int outputs() {
    int found = 0;
    for (Source source : sources) {
      found += source.given ? 0 : 1;
    }
    return found;
  }

  /** Returns what merges outputs while maps run. */
  Ahead ahead() {
    return ahead;
  }

  @Override
  public void succeeded(int map, TaskAttemptID attempt, String url) {
    Source source = sources[map];
    if (attempt.equals(source.attempt) || source.given) {
      return;
    }
    source.attempt = attempt;
    source.url = url;
    source.failed = 0;
    if (!source.isSafe()) {
      drop(source);
      waiting.add(source, 0);
    }
  }

  @Override
  public void withdrawn(int map, TaskAttemptID attempt) {
    Source source = sources[map];
    if (!attempt.equals(source.attempt)) {
      return;
    }
    source.attempt = null;
    if (!source.isSafe()) {
      LOG.info("the output of {} is withdrawn", attempt);
      drop(source);
      waiting.remove(source);
    }
  }

  @Override
  public void givenUp(int map) {
    Source source = sources[map];
    if (source.begun || source.given) {
      return;
    }
    drop(source);
    waiting.remove(source);
    source.attempt = null;
    source.given = true;
    copied.add(1);
  }

  @Override
  public void begun(Incoming output) {
    inbox.add(
        () -> {
          Source source = source(output);
          if (source != null) {
            source.begun = true;
            copied.add(1);
          }
        });
  }

  @Override
  public void whole(Incoming output) {
    inbox.add(
        () -> {
          if (source(output) != null) {
            checks++;
            merges.check(output, problem -> inbox.add(() -> checked(output, problem)));
          }
        });
  }

  @Override
  public void failed(Incoming output, IOException reason) {
    inbox.add(
        () -> {
          Source source = source(output);
          if (source != null) {
            boolean first = !source.begun;
            drop(source);
            // With later bytes, its first ones tell whether its map has to run again.
            failed(source, output.map(), reason, first);
          }
        });
  }

  @Override
  public void arrived(int bytes) {
    context.getReduceShuffleBytes().increment(bytes);
  }

  @Override
  public void waiting() {
    context.getReporter().progress();
  }

  /** Returns where an output comes from, null when it is wanted no more. */
  private Source source(Incoming output) {
    Source source = sources[output.number()];
    return source.output == output ? source : null;
  }

  private void checked(Incoming output, IOException problem) throws IOException {
    checks--;
    Source source = source(output);
    if (source == null) {
      return;
    }
    if (problem == null) {
      source.checked = true;
      return;
    }
    drop(source);
    failed(source, output.map(), problem, true);
  }

  private void begin(Source source) throws IOException {
    try {
      source.output =
          new Incoming(
              source.attempt,
              MapEvents.beside(source.url, settings.portOffset()),
              new MapOutput(source.attempt.toString(), reduce),
              once,
              retrying,
              pool,
              this);
    } catch (IllegalArgumentException e) {
      failed(source, source.attempt, new IOException(e.getMessage(), e), true);
      return;
    }
    source.output.start();
  }

  private void failed(Source source, TaskAttemptID attempt, IOException reason, boolean reported)
      throws IOException {
    if (reported) {
      // With its host lost, the attempt may be withdrawn by now.
      events.take();
    }
    if (attempt == null || !attempt.equals(source.attempt)) {
      // Its map runs again, or has.
      if (source.attempt != null && source.output == null) {
        waiting.add(source, 0);
      }
      return;
    }
    source.failed++;
    if (reported) {
      reports.failedNow(source.attempt);
    }
    waiting.add(source, tries.backoffMs(source.failed, source.attempt, reason));
  }

  /** Forgets what has come of an output. */
  private void drop(Source source) {
    if (source.output != null) {
      source.output.close();
      source.output = null;
    }
    source.checked = false;
    source.merged = false;
    if (source.begun) {
      source.begun = false;
      copied.add(-1);
    }
  }

  /** Has outputs fetched again that a merge has consumed in vain. */
  private void again(Run lost, IOException problem) throws IOException {
    for (int map : lost.maps()) {
      Source source = sources[map];
      drop(source);
      if (source.attempt != null && pool.diskFails()) {
        waiting.add(source, 0);
      } else {
        failed(source, source.attempt, problem, false);
      }
    }
  }
}
