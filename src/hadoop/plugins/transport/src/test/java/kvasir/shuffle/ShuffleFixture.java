package kvasir.shuffle;

import static kvasir.shuffle.Records.keys;
import static kvasir.shuffle.ReduceAttempt.event;
import static kvasir.shuffle.ReduceAttempt.map;
import static org.apache.hadoop.mapred.TaskCompletionEvent.Status.SUCCEEDED;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import kvasir.transport.Jobs;
import kvasir.transport.MapOutput;
import kvasir.transport.Settings;
import kvasir.transport.TcpServer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapreduce.MRConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Merges outputs of a server in the test's own process, by a shuffle over the transport. */
public abstract class ShuffleFixture {
  @TempDir protected Path folder;
  protected final JobConf conf = new JobConf(false);
  protected final Jobs jobs = new Jobs();
  protected final ReduceAttempt attempt = new ReduceAttempt();
  protected final Stock stock = new Stock();
  protected final TransportShuffle<Text, Text> shuffle;
  protected MapOutputs outputs;
  protected TcpServer server;
  private final String prefix;
  private final int portOffset;
  private final Function<Supplier<ShuffleConsumerPlugin<Text, Text>>, TransportShuffle<Text, Text>>
      shuffles;

  /**
   * Tests a shuffle.
   *
   * @param prefix what the names of its properties begin with, such as kvasir.levitated
   * @param portOffset what its server's port is above the stock shuffle's
   * @param shuffles makes one that leaves to another what it cannot do
   */
  protected ShuffleFixture(
      String prefix,
      int portOffset,
      Function<Supplier<ShuffleConsumerPlugin<Text, Text>>, TransportShuffle<Text, Text>>
          shuffles) {
    this.prefix = prefix;
    this.portOffset = portOffset;
    this.shuffles = shuffles;
    this.shuffle = shuffles.apply(() -> stock);
  }

  /** Returns another shuffle, which leaves to {@code other} what it cannot do. */
  protected final TransportShuffle<Text, Text> another(Stock other) {
    return shuffles.apply(() -> other);
  }

  /** Sets a property of the shuffle. */
  protected final void set(String name, int value) {
    conf.setInt(name(name), value);
  }

  /** Returns the whole name of a property of the shuffle. */
  protected final String name(String name) {
    return prefix + "." + name;
  }

  @BeforeEach
  protected void start() throws IOException {
    conf.setMapOutputKeyClass(Text.class);
    conf.setMapOutputValueClass(Text.class);
    conf.setInt(Settings.TIMEOUT_MS, 20_000);
    conf.setInt(Settings.BACKOFF_MS, 50);
    conf.setInt(Settings.SERVER_THREADS, 1);
    conf.setInt(Settings.TRIES, 4);
    conf.set(MRConfig.LOCAL_DIR, folder.toString());
    set("poll-ms", 20);
    set("tries", 3);
    set("memory-mb", 1);
    set("chunk-kb", 4);
    outputs = new MapOutputs(folder);
    jobs.add(new Jobs.Job(ReduceAttempt.JOB, "application_7_0001", "me", ReduceAttempt.SECRET));
    server = serve(0);
  }

  @AfterEach
  protected void stop() {
    shuffle.close();
    server.close();
    String[] left = folder.toFile().list((in, name) -> name.contains("_r_"));
    assertEquals(0, left.length, () -> String.join(" ", left) + " left on the disk");
  }

  /** Serves the outputs on a port. */
  protected TcpServer serve(int port) throws IOException {
    return new TcpServer(port, jobs, outputs, new Settings(conf));
  }

  /** Returns the port of the shuffle that the server seems to stand beside. */
  protected int beside(int port) {
    return port - portOffset;
  }

  /** Names the output of an attempt at a map. */
  protected static MapOutput output(int map, int number) {
    return new MapOutput(map(map, number), 0);
  }

  /** Runs the shuffle for the attempt. */
  protected RawKeyValueIterator run(CompressionCodec codec) throws Exception {
    shuffle.init(attempt.context(conf, codec));
    return shuffle.run();
  }

  /** Has the attempt hear that another one at a map has succeeded. */
  protected void succeeded(int map, int number, int port) {
    attempt.events.add(Collections.singletonList(event(map, number, SUCCEEDED, beside(port))));
  }

  /**
   * Stores the outputs of so many maps, each of so many records, and has the attempt hear of them.
   *
   * @param before is called with each map before the attempt hears of it
   * @return all keys, sorted
   */
  protected final List<String> allSucceed(int maps, int records, IntConsumer before)
      throws IOException {
    conf.setNumMapTasks(maps);
    List<String> all = new ArrayList<>();
    for (int map = 0; map < maps; map++) {
      List<String> keys = keys(new Random(map), records);
      outputs.put(output(map, 0), keys, null);
      all.addAll(keys);
      before.accept(map);
      succeeded(map, 0, server.port());
    }
    Collections.sort(all);
    return all;
  }

  /** Stores outputs as {@link #allSucceed} does, of which the last comes late. */
  protected final List<String> lastIsLate(int maps, int records) throws IOException {
    return allSucceed(maps, records, map -> quiet(map == maps - 1 ? 60 : 0));
  }

  /** Has the attempt hear nothing new for a number of times. */
  protected void quiet(int questions) {
    for (int i = 0; i < questions; i++) {
      attempt.events.add(Collections.emptyList());
    }
  }
}
