package kvasir.homr;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Says what is asked for next of which map outputs, by {@link Order} and {@link Volume}.
 *
 * <p>It depends on nothing but what it is made from.
 */
final class Plan {
  /** Bytes that are asked for. */
  static final class Grant {
    final Wish wish;
    final int bytes;

    /** Whether they take memory beyond what each output may always have. */
    final boolean charged;

    Grant(Wish wish, int bytes, boolean charged) {
      this.wish = wish;
      this.bytes = bytes;
      this.charged = charged;
    }
  }

  private final Volume volume;
  private final int fetches;
  private final List<Grant> grants = new ArrayList<>();
  private final List<Wish> admitted = new ArrayList<>();
  private final Map<Object, Integer> busy = new HashMap<>();
  private long promised;
  private boolean pressed;

  private Plan(List<Wish> wishes, Volume volume, int fetches) {
    this.volume = volume;
    this.fetches = fetches;
    for (Wish wish : wishes) {
      if (!wish.begun && !wish.asking) {
        grants.add(new Grant(wish, volume.least(), false));
      } else if (wish.begun && wish.asking) {
        busy.merge(wish.server, 1, Integer::sum);
      }
    }
  }

  /**
   * Makes a plan for the time in which maps run.
   *
   * <p>An output is fetched beyond its first bytes only when there is memory for all of it that no
   * other was promised: so what has been begun becomes whole, and can be merged.
   *
   * @param free bytes of memory that are left
   * @param limit bytes of memory when nothing is held
   * @param fetches what may be asked of a server at a time, besides first bytes
   */
  static Plan whileMapsRun(List<Wish> wishes, long free, long limit, Volume volume, int fetches) {
    Plan plan = new Plan(wishes, volume, fetches);
    List<Wish> ready = new ArrayList<>();
    List<Wish> others = new ArrayList<>();
    for (Wish wish : wishes) {
      if (wish.begun && wish.rest > 0 && wish.admitted) {
        plan.promised += wish.rest;
        ready.add(wish);
      } else if (wish.begun && wish.rest > 0) {
        others.add(wish);
      }
    }
    others.sort(Order.SOONEST_WHOLE);
    for (Wish wish : others) {
      if (wish.rest <= free - plan.promised) {
        plan.promised += wish.rest;
        plan.admitted.add(wish);
        ready.add(wish);
      } else if (wish.rest <= limit) {
        plan.pressed = true;
      }
    }
    plan.pressed |= plan.promised > free;
    List<Wish> chosen = plan.chosen(ready, Order.SOONEST_WHOLE);
    plan.share(chosen, volume.needsWhileMapsRun(chosen), free);
    return plan;
  }

  /** Makes a plan for the time in which records are reduced. */
  static Plan whileReducing(List<Wish> wishes, long free, Volume volume, int fetches) {
    Plan plan = new Plan(wishes, volume, fetches);
    List<Wish> arriving = new ArrayList<>();
    long left = 0;
    long room = free;
    for (Wish wish : wishes) {
      if (wish.begun && wish.rest > 0) {
        arriving.add(wish);
        left += wish.left();
        room += wish.held;
      }
    }
    List<Wish> chosen = plan.chosen(arriving, Order.SOONEST_EMPTY);
    plan.share(chosen, Volume.needsWhileReducing(chosen, room, left), free);
    Set<Wish> given = new HashSet<>();
    plan.grants.forEach(grant -> given.add(grant.wish));
    for (Wish wish : arriving) {
      // The merge waits for it, or will with its next record.
      if (wish.held == 0 && !wish.asking && !given.contains(wish)) {
        plan.grants.add(new Grant(wish, (int) Math.min(volume.least(), wish.rest), false));
      }
    }
    return plan;
  }

  /** Returns outputs of which nothing is awaited, as many of each server as may be asked for. */
  private List<Wish> chosen(List<Wish> ready, Comparator<Wish> order) {
    List<Wish> sorted = new ArrayList<>(ready);
    sorted.removeIf(wish -> wish.asking);
    sorted.sort(order);
    sorted.removeIf(wish -> busy.merge(wish.server, 1, Integer::sum) > fetches && wish.held > 0);
    return sorted;
  }

  private void share(List<Wish> wishes, double[] needs, long free) {
    int[] volumes = volume.of(wishes, needs, free);
    for (int i = 0; i < volumes.length; i++) {
      if (volumes[i] > 0) {
        grants.add(new Grant(wishes.get(i), volumes[i], true));
      }
    }
  }

  /** Returns what is asked for, in this order. */
  List<Grant> grants() {
    return Collections.unmodifiableList(grants);
  }

  /** Returns the outputs that memory is promised to from now on. */
  List<Wish> admitted() {
    return Collections.unmodifiableList(admitted);
  }

  /** Returns the bytes of memory that are left and promised, before the grants. */
  long promised() {
    return promised;
  }

  /** Returns whether an output waits for memory that others hold. */
  boolean pressed() {
    return pressed;
  }
}
