package kvasir.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Says in the driver's output when the Java of each executor began: lines {@code executor NAME
 * began at MILLISECONDS}. Spark's own log knows when it was ready, but Hadoop's tasks begin with
 * the start of their Java.
 */
public final class Begins implements SparkPlugin {
  @Override
  public DriverPlugin driverPlugin() {
    return new DriverPlugin() {
      @Override
      public Object receive(Object message) {
        System.out.println(message);
        return null;
      }
    };
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new ExecutorPlugin() {
      @Override
      public void init(PluginContext context, Map<String, String> configuration) {
        long began = ManagementFactory.getRuntimeMXBean().getStartTime();
        try {
          context.send("executor " + context.executorID() + " began at " + began);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    };
  }
}
