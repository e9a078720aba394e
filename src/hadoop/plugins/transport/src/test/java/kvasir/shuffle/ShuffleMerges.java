package kvasir.shuffle;

import static kvasir.shuffle.Records.keys;
import static kvasir.shuffle.Records.rest;
import static kvasir.shuffle.ReduceAttempt.event;
import static org.apache.hadoop.mapred.TaskCompletionEvent.Status.SUCCEEDED;
import static org.apache.hadoop.mapred.TaskCompletionEvent.Status.TIPFAILED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskStatus;
import org.junit.jupiter.api.Test;

/** Tests what every shuffle over the transport makes of map outputs that can be had. */
public abstract class ShuffleMerges extends ShuffleFixture {
  /** Tests a shuffle; see {@link ShuffleFixture}. */
  protected ShuffleMerges(
      String prefix,
      int portOffset,
      Function<Supplier<ShuffleConsumerPlugin<Text, Text>>, TransportShuffle<Text, Text>>
          shuffles) {
    super(prefix, portOffset, shuffles);
  }

  /** Returns the job counter of the most bytes that were in memory. */
  protected abstract String peak();

  /** Merges for one turn, with properties of its own. */
  protected abstract static class Turn {
    /** Sets properties; returns the megabytes that may be taken. */
    protected abstract int set(int number, Random random);

    /** Looks at a shuffle whose records have all been read. */
    protected void afterRecords(TransportShuffle<Text, Text> one) {}

    /** Looks at what a reduce attempt has counted. */
    protected void afterwards(ReduceAttempt reduce) {}
  }

  /** Merges outputs of random numbers and sizes, with every other turn's compressed. */
  protected final void outputsAreMerged(int turns, int mostRecords, Turn turn) throws Exception {
    for (int number = 0; number < turns; number++) {
      Random random = new Random(number);
      DefaultCodec codec = new DefaultCodec();
      codec.setConf(conf);
      CompressionCodec used = number % 2 == 0 ? null : codec;
      int maps = number == 0 ? 1 : 1 + random.nextInt(40);
      conf.setNumMapTasks(maps);
      long memory = turn.set(number, random);
      List<String> all = new ArrayList<>();
      ReduceAttempt reduce = new ReduceAttempt();
      for (int map = 0; map < maps; map++) {
        List<String> keys = keys(random, random.nextInt(4) == 0 ? 0 : random.nextInt(mostRecords));
        outputs.put(output(map, number), keys, used);
        all.addAll(keys);
        reduce.events.add(
            Collections.singletonList(event(map, number, SUCCEEDED, beside(server.port()))));
      }
      Collections.shuffle(reduce.events, random);
      Collections.sort(all);
      TransportShuffle<Text, Text> one = another(stock);
      one.init(reduce.context(conf, used));
      assertEquals(all, rest(one.run()), "turn " + number);
      turn.afterRecords(one);
      one.close();
      assertEquals(TaskStatus.Phase.SORT, reduce.status.getPhase());
      assertEquals(maps, reduce.counter("Outputs"));
      assertEquals(0, reduce.counter("Left to the stock shuffle"));
      assertTrue(reduce.counter(peak()) <= memory << 20, "turn " + number);
      turn.afterwards(reduce);
      long stored = 0;
      for (int map = 0; map < maps; map++) {
        stored += outputs.find(null, output(map, number)).length();
      }
      assertEquals(stored, reduce.shuffled.getCounter());
    }
    assertFalse(stock.ran());
  }

  /** Sets properties, one at a time, to what they cannot be: no attempt runs with them. */
  protected final void assertRefused(String... names) throws Exception {
    conf.setNumMapTasks(1);
    for (String name : names) {
      JobConf wrong = new JobConf(conf);
      wrong.set(name, "many");
      for (int number = 0; number < 4; number++) {
        TransportShuffle<Text, Text> one = another(stock);
        one.init(attempt.context(wrong, null, number));
        IllegalArgumentException error = assertThrows(IllegalArgumentException.class, one::run);
        one.close();
        assertTrue(error.getMessage().startsWith(name), error::toString);
      }
    }
    assertFalse(stock.ran());
  }

  @Test
  protected void mapThatMayFailIsNotWaitedFor() throws Exception {
    conf.setNumMapTasks(2);
    List<String> keys = keys(new Random(4), 10);
    outputs.put(output(0, 0), keys, null);
    succeeded(0, 0, server.port());
    attempt.events.add(Collections.singletonList(event(1, 3, TIPFAILED, 1)));
    assertEquals(keys, rest(run(null)));
    shuffle.close();
    assertEquals(1, attempt.counter("Outputs"));
  }

  @Test
  protected void tooLittleMemoryIsLeftToTheStockShuffle() throws Exception {
    conf.setNumMapTasks(100_000);
    run(null);
    assertTrue(stock.ran());
  }
}
