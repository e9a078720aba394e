package kvasir.rdma;

import static kvasir.shuffle.ReduceAttempt.event;
import static org.apache.hadoop.mapred.TaskCompletionEvent.Status.SUCCEEDED;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import kvasir.shuffle.Heap;
import kvasir.shuffle.HeapOfProcess;
import kvasir.shuffle.Records;
import kvasir.shuffle.ReduceAttempt;
import kvasir.shuffle.Stock;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapreduce.MRConfig;

/** Reduces in a process of its own, whose memory a test limits. */
final class Reduce {
  private Reduce() {}

  /**
   * Prints the records that came in order, and the bytes that went to the disk.
   *
   * @param arguments port that the shuffle seems to have, number of maps, megabytes for map outputs
   *     (0: as the heap allows), folder, whether to watch the heap
   */
  public static void main(String[] arguments) throws Exception {
    int port = Integer.parseInt(arguments[0]);
    int maps = Integer.parseInt(arguments[1]);
    JobConf conf = new JobConf(false);
    conf.setMapOutputKeyClass(Text.class);
    conf.setMapOutputValueClass(Text.class);
    conf.setNumMapTasks(maps);
    conf.set("kvasir.rdma.memory-mb", arguments[2]);
    conf.set(MRConfig.LOCAL_DIR, arguments[3]);
    conf.setInt("kvasir.rdma.poll-ms", 20);
    ReduceAttempt attempt = new ReduceAttempt();
    for (int map = 0; map < maps; map++) {
      for (int i = 0; map == maps - 1 && i < 100; i++) {
        attempt.events.add(Collections.emptyList());
      }
      attempt.events.add(Collections.singletonList(event(map, 0, SUCCEEDED, port)));
    }
    Heap heap = Boolean.parseBoolean(arguments[4]) ? new HeapOfProcess() : () -> false;
    Stock stock = new Stock();
    RdmaShuffle<Text, Text> shuffle = new RdmaShuffle<>(() -> stock, heap);
    shuffle.init(attempt.context(conf, null));
    RawKeyValueIterator records = shuffle.run();
    int found = 0;
    String last = "";
    while (records.next()) {
      String key = Records.text(records.getKey());
      if (last.compareTo(key) > 0) {
        throw new IllegalStateException(last + " before " + key);
      }
      last = key;
      found++;
    }
    shuffle.close();
    List<Object> said = Arrays.asList(found, attempt.counter("Bytes spilled") > 0);
    System.out.println(said + (stock.ran() ? " by the stock shuffle" : ""));
  }
}
