package kvasir.transport;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.SecureIOUtils;
import org.apache.hadoop.mapred.IndexRecord;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.SpillRecord;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.util.DiskChecker.DiskErrorException;

/** Finds map outputs in the local folders of a NodeManager, by the index that each has. */
public final class LocalOutputs implements Outputs {
  /** Bytes of indexes that are kept, as many as Hadoop's own shuffle keeps. */
  private static final long KEPT_BYTES = 10 << 20;

  private static final String DIRS = "yarn.nodemanager.local-dirs";
  private static final int RECORD_BYTES = 24;

  private final JobConf conf;
  private final LocalDirAllocator folders = new LocalDirAllocator(DIRS);
  private final Map<String, SpillRecord> indexes = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  /** Looks into the folders that {@code conf} names. */
  public LocalOutputs(Configuration conf) {
    this.conf = new JobConf(conf);
  }

  @Override
  public Range find(Jobs.Job job, MapOutput output) throws IOException {
    String attempt = checked(job, output.attempt());
    SpillRecord index = index(job, attempt);
    if (output.reduce() < 0 || output.reduce() >= index.size()) {
      throw new RefusedException(attempt + " has no output for reduce " + output.reduce());
    }
    IndexRecord record = index.getIndex(output.reduce());
    return new Range(record.startOffset, record.partLength, record.rawLength);
  }

  @Override
  public Source open(Jobs.Job job, MapOutput output) throws IOException {
    return Source.of(file(job, output.attempt()));
  }

  /**
   * Opens the file with the outputs of a map attempt.
   *
   * @throws IOException when the job has none here, or it cannot be read
   */
  public FileChannel file(Jobs.Job job, String named) throws IOException {
    String attempt = checked(job, named);
    File file = new File(path(job, attempt, "file.out").toUri().getPath());
    return SecureIOUtils.openForRandomRead(file, "r", job.user(), null).getChannel();
  }

  @Override
  public void forget(String job) {
    String mark = "attempt" + job.substring("job".length()) + "_";
    synchronized (indexes) {
      indexes.keySet().removeIf(attempt -> attempt.startsWith(mark));
      bytes = indexes.values().stream().mapToLong(LocalOutputs::size).sum();
    }
  }

  /**
   * Returns the name of an attempt that may be part of a path: a map of this job and nothing else.
   */
  private static String checked(Jobs.Job job, String attempt) throws RefusedException {
    try {
      TaskAttemptID id = TaskAttemptID.forName(attempt);
      if (id != null
          && id.getTaskType() == TaskType.MAP
          && id.toString().equals(attempt)
          && id.getJobID().toString().equals(job.id())) {
        return attempt;
      }
    } catch (IllegalArgumentException e) {
      // Said below.
    }
    throw new RefusedException("this is no map attempt of " + job.id());
  }

  private SpillRecord index(Jobs.Job job, String attempt) throws IOException {
    synchronized (indexes) {
      SpillRecord known = indexes.get(attempt);
      if (known != null) {
        return known;
      }
    }
    SpillRecord read = new SpillRecord(path(job, attempt, "file.out.index"), conf, job.user());
    synchronized (indexes) {
      SpillRecord before = indexes.put(attempt, read);
      bytes += size(read) - (before == null ? 0 : size(before));
      while (bytes > KEPT_BYTES && indexes.size() > 1) {
        String eldest = indexes.keySet().iterator().next();
        bytes -= size(indexes.remove(eldest));
      }
    }
    return read;
  }

  private static long size(SpillRecord index) {
    return (long) RECORD_BYTES * index.size();
  }

  private Path path(Jobs.Job job, String attempt, String file) throws IOException {
    String relative =
        "usercache/"
            + job.user()
            + "/appcache/"
            + job.application()
            + "/output/"
            + attempt
            + "/"
            + file;
    try {
      return folders.getLocalPathToRead(relative, conf);
    } catch (DiskErrorException | FileNotFoundException e) {
      throw new RefusedException("there is no " + file + " of " + attempt + " here");
    }
  }
}
