package kvasir.nvm;

import java.io.IOException;
import java.lang.reflect.Field;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapreduce.TaskCounter;

/** Hadoop's own collector, unchanged, with the times of its stages. */
public final class StockCollector<K, V> extends MapTask.MapOutputBuffer<K, V> {
  private Task.TaskReporter reporter;
  private Stages stages;
  private Thread spiller;

  @Override
  public void init(Context context) throws IOException, ClassNotFoundException {
    reporter = context.getReporter();
    long start = System.nanoTime();
    super.init(context);
    spiller = spillThread(this);
    stages = new Stages(reporter, spiller, start);
    stages.initialised();
  }

  @Override
  public void flush() throws IOException, ClassNotFoundException, InterruptedException {
    stages.flushing();
    // Its thread ends when all is spilled, just before the merge.
    Thread watch =
        new Thread("end of " + spiller.getName()) {
          @Override
          public void run() {
            try {
              spiller.join();
              stages.spilled();
            } catch (InterruptedException e) {
              // The flush failed: no times are reported.
            }
          }
        };
    watch.setDaemon(true);
    watch.start();
    boolean done = false;
    try {
      super.flush();
      done = true;
    } finally {
      if (!done) {
        watch.interrupt();
      }
      watch.join();
    }
    stages.merged(reporter.getCounter(TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES).getValue(), -1);
  }

  @Override
  public void close() {
    super.close();
    if (stages != null) {
      stages.end();
    }
  }

  private static Thread spillThread(MapTask.MapOutputBuffer<?, ?> buffer) throws IOException {
    try {
      Field field = MapTask.MapOutputBuffer.class.getDeclaredField("spillThread");
      field.setAccessible(true);
      return (Thread) field.get(buffer);
    } catch (ReflectiveOperationException e) {
      throw new IOException("this Hadoop's collector has no field spillThread", e);
    }
  }
}
