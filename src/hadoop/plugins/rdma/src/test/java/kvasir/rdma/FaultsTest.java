package kvasir.rdma;

import kvasir.shuffle.ShuffleFaults;

class FaultsTest extends ShuffleFaults {
  FaultsTest() {
    super("kvasir.rdma", 2, RdmaShuffle::new);
  }
}
