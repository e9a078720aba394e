package kvasir.transport;

class TcpContractTest extends TransportContract {
  TcpContractTest() {
    super(new TcpTransport());
  }
}
