package kvasir.levitated;

import kvasir.shuffle.ShuffleFaults;

class FaultsTest extends ShuffleFaults {
  FaultsTest() {
    super("kvasir.levitated", 1, LevitatedShuffle::new);
  }
}
