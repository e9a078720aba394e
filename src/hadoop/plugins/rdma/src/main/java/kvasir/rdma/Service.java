package kvasir.rdma;

import java.nio.ByteBuffer;
import kvasir.transport.Jobs;
import kvasir.transport.LocalOutputs;
import kvasir.transport.MapOutputServer;
import kvasir.transport.Settings;
import kvasir.transport.Transport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.ShuffleHandler;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.server.api.ApplicationInitializationContext;
import org.apache.hadoop.yarn.server.api.ApplicationTerminationContext;
import org.apache.hadoop.yarn.server.api.AuxiliaryService;
import org.apache.hadoop.yarn.server.api.ContainerTerminationContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the map outputs of a NodeManager from memory, for the jobs that name it as a provider of
 * their shuffle.
 *
 * <p>It reads what a map has left when the map's container ends. Jobs' secrets are those that the
 * transport's service has been given.
 */
public final class Service extends AuxiliaryService {
  /** What the server's port is above the port of Hadoop's own shuffle on the same host. */
  public static final String PORT_OFFSET = "kvasir.rdma.port-offset";

  /** Megabytes of map outputs that are held. */
  public static final String CACHE_MB = "kvasir.rdma.cache-mb";

  private static final Logger LOG = LoggerFactory.getLogger(Service.class);

  private final Jobs jobs = Jobs.ofNodeManager();
  private PrefetchCache cache;
  private CachedOutputs outputs;
  private MapOutputServer server;

  /** Makes the service. */
  public Service() {
    super("kvasir_rdma");
  }

  static int portOffset(Configuration conf) {
    return Settings.within(conf, PORT_OFFSET, 2, 1, 60_000);
  }

  @Override
  protected void serviceStart() throws Exception {
    Configuration conf = new JobConf(getConfig());
    int shuffle =
        Settings.within(
            conf,
            ShuffleHandler.SHUFFLE_PORT_CONFIG_KEY,
            ShuffleHandler.DEFAULT_SHUFFLE_PORT,
            1,
            65_535);
    cache = new PrefetchCache((long) Settings.within(conf, CACHE_MB, 64, 0, 1 << 20) << 20);
    outputs = new CachedOutputs(new LocalOutputs(conf), cache, conf);
    server = Transport.serveAll(conf, shuffle + portOffset(conf), jobs, outputs);
    LOG.info("map outputs are served from memory on port {}", server.port());
    super.serviceStart();
  }

  @Override
  protected void serviceStop() throws Exception {
    if (server != null) {
      server.close();
    }
    if (cache != null) {
      cache.close();
    }
    super.serviceStop();
  }

  @Override
  public void initializeApplication(ApplicationInitializationContext context) {
    ApplicationId id = context.getApplicationId();
    outputs.expect(job(id));
  }

  @Override
  public void stopContainer(ContainerTerminationContext context) {
    ApplicationId id = context.getContainerId().getApplicationAttemptId().getApplicationId();
    Jobs.Job job = jobs.get(job(id));
    if (job == null) {
      return;
    }
    try {
      outputs.prefetch(job);
    } catch (RuntimeException e) {
      // Its outputs are read when they are asked for.
      LOG.warn("outputs of {} are not read ahead", id, e);
    }
  }

  @Override
  public void stopApplication(ApplicationTerminationContext context) {
    String job = job(context.getApplicationId());
    server.forget(job);
    outputs.forget(job);
  }

  @Override
  public ByteBuffer getMetaData() {
    return ByteBuffer.allocate(0);
  }

  /** Returns what it holds in memory. */
  PrefetchCache cache() {
    return cache;
  }

  private static String job(ApplicationId id) {
    return new JobID(Long.toString(id.getClusterTimestamp()), id.getId()).toString();
  }
}
