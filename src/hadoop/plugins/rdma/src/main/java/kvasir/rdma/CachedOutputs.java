package kvasir.rdma;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import kvasir.transport.Jobs;
import kvasir.transport.LocalOutputs;
import kvasir.transport.MapOutput;
import kvasir.transport.Outputs;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives map outputs from the cache as far as they are there, the others from their files. */
final class CachedOutputs implements Outputs {
  private static final Logger LOG = LoggerFactory.getLogger(CachedOutputs.class);
  private static final String DIRS = "yarn.nodemanager.local-dirs";

  private final LocalOutputs local;
  private final PrefetchCache cache;
  private final Configuration conf;

  /** Attempts whose outputs were given to the cache, by the jobs that use it. */
  private final Map<String, Set<String>> known = new ConcurrentHashMap<>();

  CachedOutputs(LocalOutputs local, PrefetchCache cache, Configuration conf) {
    this.local = local;
    this.cache = cache;
    this.conf = conf;
  }

  /** Reads ahead for a job from now on. */
  void expect(String job) {
    known.computeIfAbsent(job, key -> ConcurrentHashMap.newKeySet());
  }

  /** Reads the outputs that maps of a job have left since the last call, if it is expected. */
  void prefetch(Jobs.Job job) {
    Set<String> read = known.get(job.id());
    if (read == null) {
      return;
    }
    for (String folder : conf.getTrimmedStrings(DIRS)) {
      String relative = "usercache/" + job.user() + "/appcache/" + job.application() + "/output";
      File[] attempts = new File(folder.replaceFirst("^file://", ""), relative).listFiles();
      if (attempts == null) {
        continue;
      }
      for (File attempt : attempts) {
        // The index is written last.
        if (new File(attempt, "file.out.index").exists() && read.add(attempt.getName())) {
          cache.add(attempt.getName(), () -> local.file(job, attempt.getName()));
        }
      }
    }
  }

  @Override
  public Range find(Jobs.Job job, MapOutput output) throws IOException {
    return local.find(job, output);
  }

  @Override
  public Source open(Jobs.Job job, MapOutput output) throws IOException {
    return new Cached(output.attempt(), local.file(job, output.attempt()));
  }

  @Override
  public void forget(String job) {
    if (known.remove(job) != null) {
      cache.forget("attempt" + job.substring("job".length()) + "_");
      LOG.info("map outputs until the end of {}: {}", job, cache);
    }
    local.forget(job);
  }

  /** Gives the bytes of a file that may be in the cache. */
  private final class Cached implements Source {
    private final String attempt;
    private final FileChannel file;

    Cached(String attempt, FileChannel file) {
      this.attempt = attempt;
      this.file = file;
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public long transferTo(long at, long count, WritableByteChannel to) throws IOException {
      long given = cache.transferTo(attempt, at, count, to);
      if (given >= 0) {
        return given;
      }
      long block = Math.min(count, PrefetchCache.BLOCK - at % PrefetchCache.BLOCK);
      long read = file.transferTo(at, block, to);
      cache.missed(attempt, at, read);
      return read;
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
