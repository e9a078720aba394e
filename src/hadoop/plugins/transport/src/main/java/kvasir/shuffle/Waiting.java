package kvasir.shuffle;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/** Keeps things until their times come. Used by one thread. */
public final class Waiting<T> {
  private final PriorityQueue<Entry<T>> entries =
      new PriorityQueue<>(Comparator.comparingLong((Entry<T> entry) -> entry.notBefore));

  /** Keeps a thing for some milliseconds from now on, also when it was kept before. */
  public void add(T thing, long ms) {
    remove(thing);
    entries.add(new Entry<>(thing, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms)));
  }

  /** Gives up a thing if it is kept. */
  public void remove(T thing) {
    entries.removeIf(entry -> entry.thing == thing);
  }

  /** Returns a thing whose time has come and gives it up, null when there is none. */
  public T next(long now) {
    return entries.isEmpty() || entries.peek().notBefore - now > 0 ? null : entries.remove().thing;
  }

  /** Returns the next time that comes, {@code latest} when there is none before it. */
  public long until(long latest) {
    boolean none = entries.isEmpty() || entries.peek().notBefore - latest > 0;
    return none ? latest : entries.peek().notBefore;
  }

  /** Thing and its time, by {@link System#nanoTime}. */
  private static final class Entry<T> {
    private final T thing;
    private final long notBefore;

    Entry(T thing, long notBefore) {
      this.thing = thing;
      this.notBefore = notBefore;
    }
  }
}
