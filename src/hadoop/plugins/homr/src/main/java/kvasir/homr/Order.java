package kvasir.homr;

import java.util.Comparator;

/**
 * Says which map outputs are fetched first.
 *
 * <p>The first bytes of an output come before all others, in the order in which the maps have
 * ended. The README.md of the plug-in has the reasons for the rest.
 */
final class Order {
  /**
   * While maps run: what is whole soonest, so that it can be merged and leave the network's and the
   * reducer's way.
   */
  static final Comparator<Wish> SOONEST_WHOLE =
      Comparator.comparingLong((Wish wish) -> wish.rest).thenComparingInt(wish -> wish.number);

  /**
   * While records are reduced: what the merge runs out of first. It reads each output in proportion
   * to its length, since keys are spread evenly over the maps; so that is the output of whose
   * unread bytes the smallest part is here.
   */
  static final Comparator<Wish> SOONEST_EMPTY =
      Comparator.comparingDouble((Wish wish) -> (double) wish.held / Math.max(1, wish.left()))
          .thenComparingInt(wish -> wish.number);

  private Order() {}
}
