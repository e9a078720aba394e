package kvasir.ucx;

import java.io.IOException;
import kvasir.transport.InvalidSettingException;
import kvasir.transport.Jobs;
import kvasir.transport.MapOutputClient;
import kvasir.transport.MapOutputServer;
import kvasir.transport.Outputs;
import kvasir.transport.Settings;
import kvasir.transport.Transport;

/** Makes servers and clients over UCX. Its own environment variables, UCX_*, say which network. */
public final class UcxTransport implements Transport {
  /**
   * What the ports of its servers are above those of servers over TCP; layout.py keeps them free.
   */
  static final int PORT_OFFSET = 2;

  @Override
  public MapOutputServer serve(int port, Jobs jobs, Outputs outputs, Settings settings)
      throws IOException {
    try {
      return new UcxServer(port + PORT_OFFSET, jobs, outputs, settings);
    } catch (LinkageError e) {
      throw new IOException(withoutLibrary(e), e);
    }
  }

  @Override
  public MapOutputClient connect(String job, byte[] secret, Settings settings) {
    return orInvalid(() -> new UcxClient(job, secret, settings));
  }

  @Override
  public void require() {
    orInvalid(() -> new Loop("kvasir-ucx-probe")).close();
  }

  /** What makes something of UCX. */
  private interface Maker<T> {
    T make() throws IOException;
  }

  private static <T> T orInvalid(Maker<T> maker) {
    try {
      return maker.make();
    } catch (LinkageError e) {
      // Hadoop's own shuffle would hide that nothing went over UCX.
      throw new InvalidSettingException(Transport.CLIENT + ": " + withoutLibrary(e));
    } catch (IOException e) {
      throw new InvalidSettingException(Transport.CLIENT + ": " + e.getMessage());
    }
  }

  private static String withoutLibrary(LinkageError e) {
    return "UCX cannot be loaded, is it installed (Debian: libucx0)? " + e.getMessage();
  }
}
