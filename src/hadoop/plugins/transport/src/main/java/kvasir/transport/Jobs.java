package kvasir.transport;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Knows the jobs whose outputs a server may give away. Safe for use by several threads. */
public final class Jobs {
  /** Describes a job. */
  public static final class Job {
    private final String id;
    private final String application;
    private final String user;
    private final byte[] secret;

    /**
     * Describes a job.
     *
     * @param id such as job_1_0001
     * @param application such as application_1_0001
     * @param user who runs it and owns its files
     * @param secret what its tasks and the server know and nobody else does
     */
    public Job(String id, String application, String user, byte[] secret) {
      this.id = id;
      this.application = application;
      this.user = user;
      this.secret = secret.clone();
    }

    public String id() {
      return id;
    }

    public String application() {
      return application;
    }

    public String user() {
      return user;
    }

    /** Returns what its tasks and the server know. */
    public byte[] secret() {
      return secret;
    }
  }

  private static final Jobs HERE = new Jobs();

  private final ConcurrentMap<String, Job> known = new ConcurrentHashMap<>();

  /**
   * Returns the jobs of this NodeManager: application masters give their secrets to one service,
   * {@link Service}, and others that stand beside it need them as well.
   */
  public static Jobs ofNodeManager() {
    return HERE;
  }

  /** Adds a job. */
  public void add(Job job) {
    known.put(job.id(), job);
  }

  /** Removes a job. */
  public void remove(String id) {
    known.remove(id);
  }

  /** Returns a job, null when it is not known. */
  public Job get(String id) {
    return known.get(id);
  }
}
