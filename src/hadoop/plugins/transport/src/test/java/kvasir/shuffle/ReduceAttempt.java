package kvasir.shuffle;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.crypto.spec.SecretKeySpec;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.AMFeedback;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapTaskCompletionEventsUpdate;
import org.apache.hadoop.mapred.ReduceTask;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;
import org.apache.hadoop.util.Progress;

/** A reduce attempt whose application master says what the test wants. */
public final class ReduceAttempt implements Reporter {
  public static final String JOB = "job_7_0001";
  public static final byte[] SECRET = {3, 1, 4};

  /** Groups of events; each question is answered with the next group. */
  public final List<List<TaskCompletionEvent>> events =
      Collections.synchronizedList(new ArrayList<>());

  /** Maps that were reported, in this order. */
  public final List<String> reported = Collections.synchronizedList(new ArrayList<>());

  public final Map<String, Counters.Counter> counters = new HashMap<>();
  public final Counters.Counter shuffled = new Counters.Counter();
  public final Counters.Counter spilled = new Counters.Counter();
  public final TaskStatus status = new Status();
  public FileSystem disk;
  private int answered;

  public static String map(int map, int attempt) {
    return String.format("attempt_7_0001_m_%06d_%d", map, attempt);
  }

  public static TaskCompletionEvent event(
      int map, int attempt, TaskCompletionEvent.Status status, int port) {
    TaskAttemptID id = TaskAttemptID.forName(map(map, attempt));
    return new TaskCompletionEvent(0, id, map, true, status, "http://127.0.0.1:" + port);
  }

  public ShuffleConsumerPlugin.Context<Text, Text> context(JobConf conf, CompressionCodec codec)
      throws IOException {
    return context(conf, codec, 0);
  }

  public ShuffleConsumerPlugin.Context<Text, Text> context(
      JobConf conf, CompressionCodec codec, int number) throws IOException {
    TaskAttemptID id = TaskAttemptID.forName("attempt_7_0001_r_000000_" + number);
    ReduceTask task = new ReduceTask("job.xml", id, 0, conf.getNumMapTasks(), 1);
    task.setConf(conf);
    task.setShuffleSecret(new SecretKeySpec(SECRET, "HmacSHA1"));
    Progress root = new Progress();
    Progress copy = root.addPhase("copy");
    Progress merge = root.addPhase("sort");
    root.addPhase("reduce");
    return new ShuffleConsumerPlugin.Context<>(
        id,
        conf,
        disk == null ? FileSystem.getLocal(conf) : disk,
        umbilical(),
        null,
        this,
        codec,
        null,
        null,
        spilled,
        new Counters.Counter(),
        new Counters.Counter(),
        shuffled,
        new Counters.Counter(),
        new Counters.Counter(),
        status,
        copy,
        merge,
        task,
        null,
        null);
  }

  private TaskUmbilicalProtocol umbilical() {
    return (TaskUmbilicalProtocol)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {TaskUmbilicalProtocol.class},
            (proxy, method, arguments) -> {
              switch (method.getName()) {
                case "getMapCompletionEvents":
                  List<TaskCompletionEvent> next =
                      answered < events.size() ? events.get(answered++) : Collections.emptyList();
                  return new MapTaskCompletionEventsUpdate(
                      next.toArray(new TaskCompletionEvent[0]), false);
                case "statusUpdate":
                  AMFeedback feedback = new AMFeedback();
                  feedback.setTaskFound(true);
                  return feedback;
                default:
                  throw new UnsupportedOperationException(method.getName());
              }
            });
  }

  public long counter(String name) {
    Counters.Counter found = counters.get(name);
    return found == null ? 0 : found.getCounter();
  }

  @Override
  public Counters.Counter getCounter(String group, String name) {
    return counters.computeIfAbsent(name, key -> new Counters.Counter());
  }

  @Override
  public Counters.Counter getCounter(Enum<?> name) {
    return getCounter("", name.name());
  }

  @Override
  public void incrCounter(String group, String counter, long amount) {}

  @Override
  public void incrCounter(Enum<?> key, long amount) {}

  @Override
  public InputSplit getInputSplit() {
    throw new UnsupportedOperationException();
  }

  @Override
  public float getProgress() {
    return 0;
  }

  @Override
  public void setStatus(String text) {}

  @Override
  public void progress() {}

  /** Status that remembers the maps that were reported. */
  private final class Status extends TaskStatus {
    @Override
    public boolean getIsMap() {
      return false;
    }

    @Override
    public void addFetchFailedMap(TaskAttemptID map) {
      reported.add(map.toString());
    }
  }
}
