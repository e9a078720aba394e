package kvasir.ucx;

import kvasir.transport.TransportContract;

class UcxContractTest extends TransportContract {
  UcxContractTest() {
    super(new UcxTransport());
  }
}
