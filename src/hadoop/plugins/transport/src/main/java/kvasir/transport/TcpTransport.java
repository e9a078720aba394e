package kvasir.transport;

import java.io.IOException;

/** Makes servers and clients over TCP. */
public final class TcpTransport implements Transport {
  @Override
  public MapOutputServer serve(int port, Jobs jobs, Outputs outputs, Settings settings)
      throws IOException {
    return new TcpServer(port, jobs, outputs, settings);
  }

  @Override
  public MapOutputClient connect(String job, byte[] secret, Settings settings) throws IOException {
    return new TcpClient(job, secret, settings);
  }
}
