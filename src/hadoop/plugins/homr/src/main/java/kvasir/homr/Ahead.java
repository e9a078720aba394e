package kvasir.homr;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import kvasir.transport.Settings;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has map outputs that are whole merged while maps run, by {@link MergeRule}; one merge at a time.
 *
 * <p>Used by the thread of {@link Copier}.
 */
final class Ahead {
  /** How many outputs are merged at a time while there is memory. */
  static final String MERGE_OUTPUTS = "kvasir.homr.merge-outputs";

  private static final Logger LOG = LoggerFactory.getLogger(Ahead.class);

  private final int number;
  private final Pool pool;
  private final Merges<?, ?> merges;
  private final Consumer<Word> inbox;
  private final Lost lost;
  private final List<Run> runs = new ArrayList<>();
  private boolean merging;
  private long ended;
  private long bytes;

  /** Hears of a merge that has failed: the outputs of its maps are gone. */
  interface Lost {
    void take(Run run, IOException problem) throws IOException;
  }

  Ahead(Configuration conf, Pool pool, Merges<?, ?> merges, Consumer<Word> inbox, Lost lost) {
    this.number = number(conf);
    this.pool = pool;
    this.merges = merges;
    this.inbox = inbox;
    this.lost = lost;
  }

  /** Reads how many outputs are merged at a time. */
  static int number(Configuration conf) {
    return Settings.within(conf, MERGE_OUTPUTS, 4, 2, 10_000);
  }

  /** Returns what was merged. */
  List<Run> runs() {
    return Collections.unmodifiableList(runs);
  }

  /** Returns whether nothing is being merged. */
  boolean isIdle() {
    return !merging;
  }

  /** Returns how many merges have ended well. */
  long ended() {
    return ended;
  }

  /** Returns the bytes that these have made. */
  long bytes() {
    return bytes;
  }

  /** Merges some of what is whole, in memory or to the disk, if that is of use. */
  void merge(Source[] sources) {
    if (merging || pool.diskFails()) {
      // What does not fit into memory would have no place.
      return;
    }
    List<MergeRule.Item> items = new ArrayList<>();
    synchronized (pool) {
      runs.forEach(run -> items.add(item(run, run.level())));
      for (Source source : sources) {
        if (source.checked) {
          items.add(item(source.output, 0));
        }
      }
    }
    boolean pressed = pool.pressed();
    List<MergeRule.Item> chosen =
        MergeRule.toDisk(items, pool.memory().ahead(), pressed, pool.busy());
    long granted = 0;
    if (chosen.isEmpty() && !pressed) {
      chosen = MergeRule.inMemory(items, number, pool.free());
      granted = MergeRule.length(chosen);
    }
    if (!chosen.isEmpty() && (granted == 0 || pool.reserve(granted))) {
      merge(chosen, granted, sources);
    }
  }

  private static MergeRule.Item item(Held held, int level) {
    return new MergeRule.Item(held, level, held.length(), held.inMemory());
  }

  private void merge(List<MergeRule.Item> chosen, long granted, Source[] sources) {
    List<Held> all = new ArrayList<>();
    List<Integer> maps = new ArrayList<>();
    int level = 0;
    for (MergeRule.Item item : chosen) {
      all.add(item.held);
      level = Math.max(level, item.level);
      if (item.held instanceof Run) {
        Run run = (Run) item.held;
        runs.remove(run);
        maps.addAll(run.maps());
      } else {
        Source source = sources[((Incoming) item.held).number()];
        maps.add(((Incoming) item.held).number());
        source.output = null;
        source.checked = false;
        source.merged = true;
      }
    }
    LOG.info("merging {} of {} map outputs, {} bytes in memory", all.size(), maps.size(), granted);
    merging = true;
    Run run = new Run(pool, maps, level + 1);
    merges.merge(all, run, granted, problem -> inbox.accept(() -> merged(run, problem)));
  }

  private void merged(Run run, IOException problem) throws IOException {
    merging = false;
    if (problem != null) {
      LOG.warn("{} map outputs are fetched again", run.maps().size(), problem);
      lost.take(run, problem);
      return;
    }
    runs.add(run);
    ended++;
    bytes += run.length();
  }
}
