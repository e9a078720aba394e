package kvasir.homr;

import kvasir.shuffle.ShuffleFaults;
import org.junit.jupiter.api.Test;

/** What is whole before the reducer begins is checked, and fetched again when it is wrong. */
class FaultsTest extends ShuffleFaults {
  FaultsTest() {
    super("kvasir.homr", 1, HomrShuffle::new);
  }

  @Test
  @Override
  protected void noCorruptByteIsOverlooked() throws Exception {
    set("tries", 1);
    super.noCorruptByteIsOverlooked();
  }

  @Test
  @Override
  protected void corruptBeginningIsLeftToTheStockShuffle() throws Exception {
    set("tries", 1);
    super.corruptBeginningIsLeftToTheStockShuffle();
  }
}
