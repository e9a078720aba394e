package kvasir.shuffle;

import java.util.Locale;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.util.Progress;

/** Counts the map outputs of a reduce task that are begun. Used by one thread. */
public final class CopyProgress {
  private final Progress copy;
  private final String done;
  private final int maps;
  private int begun;

  /**
   * Starts with none.
   *
   * @param done what the task's status calls those that are begun
   * @param maps how many there will be
   */
  public CopyProgress(ShuffleConsumerPlugin.Context<?, ?> context, String done, int maps) {
    this.copy = context.getCopyPhase();
    this.done = done;
    this.maps = maps;
  }

  /** Counts more, or fewer when it is negative. */
  public void add(int more) {
    begun += more;
    copy.set((float) begun / maps);
    copy.setStatus(String.format(Locale.ROOT, "%s(%d of %d map outputs)", done, begun, maps));
  }

  /** Returns whether all are begun. */
  public boolean isComplete() {
    return begun == maps;
  }
}
