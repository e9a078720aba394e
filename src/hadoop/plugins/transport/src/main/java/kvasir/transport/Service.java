package kvasir.transport;

import java.io.IOException;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.ShuffleHandler;
import org.apache.hadoop.mapreduce.security.token.JobTokenIdentifier;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.server.api.ApplicationInitializationContext;
import org.apache.hadoop.yarn.server.api.ApplicationTerminationContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the map outputs of a NodeManager beside Hadoop's own shuffle, which it does not change.
 *
 * <p>It has to be that service of the NodeManager: application masters send jobs' secrets to it
 * alone, and services that a job names besides get nothing. Its server listens on the port after
 * the shuffle's, which is the one that reduce tasks are told.
 */
public final class Service extends ShuffleHandler {
  private static final Logger LOG = LoggerFactory.getLogger(Service.class);

  private final Jobs jobs = Jobs.ofNodeManager();
  private Outputs outputs;
  private MapOutputServer server;

  /** Returns the port of the service on a host whose own shuffle listens on {@code shufflePort}. */
  public static int port(int shufflePort, Settings settings) {
    return shufflePort + settings.portOffset();
  }

  @Override
  protected void serviceStart() throws Exception {
    super.serviceStart();
    Settings settings = new Settings(getConfig());
    int port = port(deserializeMetaData(getMetaData()), settings);
    outputs = new LocalOutputs(new JobConf(getConfig()));
    server = Transport.serveAll(getConfig(), port, jobs, outputs);
    LOG.info("map outputs are served by the transport on port {}", server.port());
  }

  @Override
  protected void serviceStop() throws Exception {
    if (server != null) {
      server.close();
    }
    super.serviceStop();
  }

  @Override
  public void initializeApplication(ApplicationInitializationContext context) {
    ApplicationId id = context.getApplicationId();
    try {
      // Reading it leaves the buffer at its end, where the shuffle itself would find nothing.
      Token<JobTokenIdentifier> token =
          deserializeServiceData(context.getApplicationDataForService().duplicate());
      jobs.add(new Jobs.Job(job(id), id.toString(), context.getUser(), token.getPassword()));
    } catch (IOException e) {
      LOG.error("the transport serves nothing of {}: its secret cannot be read", id, e);
    }
    super.initializeApplication(context);
  }

  @Override
  public void stopApplication(ApplicationTerminationContext context) {
    String job = job(context.getApplicationId());
    jobs.remove(job);
    server.forget(job);
    outputs.forget(job);
    super.stopApplication(context);
  }

  private static String job(ApplicationId id) {
    return new JobID(Long.toString(id.getClusterTimestamp()), id.getId()).toString();
  }
}
