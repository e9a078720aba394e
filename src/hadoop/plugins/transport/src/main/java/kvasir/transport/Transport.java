package kvasir.transport;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/** Makes servers and clients of one kind of network. Has a constructor without arguments. */
public interface Transport {
  /** Class of the clients of a job. */
  String CLIENT = "kvasir.transport.client";

  /** Classes of the servers of a NodeManager, with commas between them. */
  String SERVERS = "kvasir.transport.servers";

  /**
   * Starts a server.
   *
   * @param port what a server over TCP would listen on; others have ports of their own above it
   * @throws IOException when nobody can listen there, or the machine has no such network
   */
  MapOutputServer serve(int port, Jobs jobs, Outputs outputs, Settings settings) throws IOException;

  /**
   * Starts a client, which is told the addresses of servers over TCP.
   *
   * @param job such as job_1_0001
   * @param secret what the job's tasks and servers know
   * @throws InvalidSettingException when the machine has no such network
   */
  MapOutputClient connect(String job, byte[] secret, Settings settings) throws IOException;

  /**
   * Looks whether this machine has the network.
   *
   * @throws InvalidSettingException when it has not
   */
  default void require() {}

  /**
   * Returns the transport of a job.
   *
   * @throws InvalidSettingException when there is no such class
   */
  static Transport ofJob(Configuration conf) {
    return named(CLIENT, conf.getTrimmed(CLIENT, TcpTransport.class.getName()));
  }

  /**
   * Starts a server of each transport of a NodeManager; the first one's port is theirs.
   *
   * @throws IOException when one of them cannot be started
   */
  static MapOutputServer serveAll(Configuration conf, int port, Jobs jobs, Outputs outputs)
      throws IOException {
    List<MapOutputServer> servers = new ArrayList<>();
    MapOutputServer all = new Servers(servers);
    try {
      for (String name : conf.getTrimmedStrings(SERVERS, TcpTransport.class.getName())) {
        servers.add(named(SERVERS, name).serve(port, jobs, outputs, new Settings(conf)));
      }
    } catch (IOException | RuntimeException e) {
      all.close();
      throw e;
    }
    return all;
  }

  /** Makes the transport of a class that a property names. */
  static Transport named(String property, String name) {
    try {
      return Class.forName(name).asSubclass(Transport.class).getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException | ClassCastException e) {
      throw new InvalidSettingException(
          property + ": expected the class of a transport, got " + name + ": " + e);
    }
  }
}
