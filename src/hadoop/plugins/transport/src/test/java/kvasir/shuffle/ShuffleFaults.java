package kvasir.shuffle;

import static kvasir.shuffle.Records.keys;
import static kvasir.shuffle.Records.rest;
import static kvasir.shuffle.Records.text;
import static kvasir.shuffle.ReduceAttempt.event;
import static kvasir.shuffle.ReduceAttempt.map;
import static org.apache.hadoop.mapred.TaskCompletionEvent.Status.OBSOLETE;
import static org.apache.hadoop.mapred.TaskCompletionEvent.Status.SUCCEEDED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.util.Progressable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what a shuffle over the transport does when something goes wrong. */
@Timeout(240)
public abstract class ShuffleFaults extends ShuffleFixture {
  /** Tests a shuffle; see {@link ShuffleFixture}. */
  protected ShuffleFaults(
      String prefix,
      int portOffset,
      Function<Supplier<ShuffleConsumerPlugin<Text, Text>>, TransportShuffle<Text, Text>>
          shuffles) {
    super(prefix, portOffset, shuffles);
  }

  @Test
  protected void mapThatRanAgainIsTakenFromWhereItRan() throws Exception {
    conf.setNumMapTasks(2);
    List<String> keys = keys(new Random(1), 3000);
    outputs.put(output(0, 0), keys.subList(0, 1000), null);
    outputs.put(output(1, 1), keys.subList(1000, 3000), null);
    int gone;
    try (ServerSocket free = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      gone = free.getLocalPort();
    }
    set("tries", 100);
    succeeded(0, 0, server.port());
    succeeded(1, 0, gone);
    quiet(100);
    attempt.events.add(Collections.singletonList(event(1, 0, OBSOLETE, beside(gone))));
    succeeded(1, 1, server.port());
    assertEquals(keys, rest(run(null)));
    assertTrue(attempt.reported.size() >= 2, attempt.reported::toString);
    assertEquals(Collections.nCopies(attempt.reported.size(), map(1, 0)), attempt.reported);
  }

  @Test
  protected void beginningOfAnOutputThatIsWithdrawnIsDropped() throws Exception {
    conf.setNumMapTasks(2);
    List<String> keys = keys(new Random(2), 3000);
    // It takes longer than until it is withdrawn.
    outputs.delayMs = 50;
    set("chunk-kb", 64);
    outputs.put(output(0, 0), keys(new Random(3), 12_000), null);
    outputs.put(output(0, 1), keys.subList(0, 1500), null);
    outputs.put(output(1, 0), keys.subList(1500, 3000), null);
    succeeded(0, 0, server.port());
    quiet(20);
    attempt.events.add(Collections.singletonList(event(0, 0, OBSOLETE, beside(server.port()))));
    succeeded(1, 0, server.port());
    succeeded(0, 1, server.port());
    assertEquals(keys, rest(run(null)));
  }

  @Test
  protected void outputWhoseRestDoesNotComeIsAskedForAgain() throws Exception {
    conf.setNumMapTasks(2);
    set("tries", 100);
    List<String> keys = keys(new Random(7), 1010);
    outputs.put(output(0, 0), keys.subList(0, 1000), null);
    outputs.put(output(1, 0), keys.subList(1000, 1010), null);
    Path file = folder.resolve(output(0, 0).attempt());
    byte[] whole = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(whole, 5000));
    succeeded(0, 0, server.port());
    quiet(40);
    succeeded(1, 0, server.port());
    Thread mending =
        new Thread(
            () -> {
              try {
                TimeUnit.MILLISECONDS.sleep(500);
                // In one step: a file of no bytes would be a failure of another kind.
                Path mended = Files.write(folder.resolve("mended"), whole);
                Files.move(mended, file, StandardCopyOption.ATOMIC_MOVE);
              } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    mending.start();
    assertEquals(keys, rest(run(null)));
    mending.join();
    assertTrue(attempt.reported.isEmpty(), attempt.reported::toString);
    assertFalse(stock.ran());
  }

  @Test
  protected void outputWhoseRestNeverComesIsLeftToTheStockShuffle() throws Exception {
    // The other map does not end.
    conf.setNumMapTasks(2);
    outputs.put(output(0, 0), keys(new Random(7), 1000), null);
    Path file = folder.resolve(output(0, 0).attempt());
    Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 5000));
    succeeded(0, 0, server.port());
    run(null);
    assertTrue(stock.ran());
  }

  @Test
  protected void corruptOutputFailsTheAttemptAndHasItsMapRunAgain() throws Exception {
    conf.setNumMapTasks(1);
    for (double part : new double[] {0.5, 0.9, 0.999999}) {
      outputs.put(output(0, 0), keys(new Random(5), 3000), null);
      outputs.damage(output(0, 0), part);
      ReduceAttempt reduce = new ReduceAttempt();
      reduce.events.add(Collections.singletonList(event(0, 0, SUCCEEDED, beside(server.port()))));
      TransportShuffle<Text, Text> one = another(stock);
      one.init(reduce.context(conf, null));
      RawKeyValueIterator records = one.run();
      IOException error =
          assertThrows(
              IOException.class,
              () -> {
                while (records.next()) {
                  text(records.getKey());
                }
              });
      one.close();
      assertTrue(error.getMessage().contains("is corrupt"), error::toString);
      assertTrue(error.getMessage().contains("this attempt fails"), error::toString);
      assertEquals(Collections.nCopies(3, map(0, 0)), reduce.reported);
    }
    assertFalse(stock.ran());
  }

  @Test
  protected void noCorruptByteIsOverlooked() throws Exception {
    conf.setNumMapTasks(1);
    set("chunk-kb", 1);
    Random random = new Random(10);
    for (int turn = 0; turn < 120; turn++) {
      outputs.put(output(0, 0), keys(random, 60), null);
      int length = (int) outputs.find(null, output(0, 0)).length();
      // Lengths of records and the end's mark are near the ends.
      int at = turn < 20 ? turn : turn < 40 ? length - 1 - (turn - 20) : random.nextInt(length);
      outputs.damage(output(0, 0), at, 1 + random.nextInt(255));
      ReduceAttempt reduce = new ReduceAttempt();
      reduce.events.add(Collections.singletonList(event(0, 0, SUCCEEDED, beside(server.port()))));
      Stock other = new Stock();
      TransportShuffle<Text, Text> one = another(other);
      one.init(reduce.context(conf, null));
      boolean failed = false;
      try {
        RawKeyValueIterator records = one.run();
        while (records.next()) {
          records.getValue();
        }
      } catch (IOException e) {
        failed = true;
        assertTrue(e.getMessage().contains("is corrupt"), e::toString);
      }
      one.close();
      assertTrue(failed != other.ran(), "turn " + turn + ", byte " + at + " of " + length);
      assertTrue(reduce.reported.size() == (failed ? 3 : 1), reduce.reported::toString);
    }
  }

  @Test
  protected void lastAttemptsAreLeftToTheStockShuffle() throws Exception {
    conf.setNumMapTasks(1);
    List<String> keys = keys(new Random(11), 10);
    outputs.put(output(0, 0), keys, null);
    for (int number = 0; number < 4; number++) {
      ReduceAttempt reduce = new ReduceAttempt();
      reduce.events.add(Collections.singletonList(event(0, 0, SUCCEEDED, beside(server.port()))));
      Stock other = new Stock();
      TransportShuffle<Text, Text> one = another(other);
      one.init(reduce.context(conf, null, number));
      one.run();
      one.close();
      assertEquals(number >= 2, other.ran(), "attempt " + number);
    }
  }

  @Test
  protected void reducerThatEndsInTheMiddleLeavesTheServerToTheNext() throws Exception {
    conf.setNumMapTasks(1);
    List<String> keys = keys(new Random(12), 3000);
    outputs.put(output(0, 0), keys, null);
    succeeded(0, 0, server.port());
    RawKeyValueIterator records = run(null);
    assertTrue(records.next());
    shuffle.close();
    ReduceAttempt reduce = new ReduceAttempt();
    reduce.events.add(Collections.singletonList(event(0, 0, SUCCEEDED, beside(server.port()))));
    TransportShuffle<Text, Text> one = another(stock);
    one.init(reduce.context(conf, null, 1));
    assertEquals(keys, rest(one.run()));
    one.close();
  }

  @Test
  protected void slowServerIsWaitedFor() throws Exception {
    conf.setNumMapTasks(2);
    List<String> keys = keys(new Random(13), 200);
    outputs.put(output(0, 0), keys.subList(0, 100), null);
    outputs.put(output(1, 0), keys.subList(100, 200), null);
    outputs.delayMs = 100;
    set("chunk-kb", 1);
    succeeded(0, 0, server.port());
    succeeded(1, 0, server.port());
    assertEquals(keys, rest(run(null)));
    assertTrue(attempt.reported.isEmpty());
  }

  @Test
  protected void fullDiskIsNotNoticed() throws Exception {
    conf.setNumMapTasks(3);
    List<String> keys = keys(new Random(14), 3000);
    for (int map = 0; map < 3; map++) {
      outputs.put(output(map, 0), keys.subList(map * 1000, (map + 1) * 1000), null);
      succeeded(map, 0, server.port());
    }
    attempt.disk =
        new FilterFileSystem(FileSystem.getLocal(conf)) {
          @Override
          public FSDataOutputStream create(
              org.apache.hadoop.fs.Path path,
              FsPermission permission,
              boolean overwrite,
              int bufferSize,
              short replication,
              long blockSize,
              Progressable progress)
              throws IOException {
            throw new IOException("No space left on device");
          }
        };
    assertThrows(IOException.class, () -> attempt.disk.create(new org.apache.hadoop.fs.Path("x")));
    assertEquals(keys, rest(run(null)));
  }

  @Test
  protected void corruptBeginningIsLeftToTheStockShuffle() throws Exception {
    conf.setNumMapTasks(1);
    outputs.put(output(0, 0), keys(new Random(6), 5), null);
    outputs.damage(output(0, 0), 0.5);
    succeeded(0, 0, server.port());
    run(null);
    assertTrue(stock.ran());
    assertEquals(1, attempt.counter("Left to the stock shuffle"));
    assertEquals(0, attempt.shuffled.getCounter(), "the stock shuffle counts for itself");
    assertEquals(Collections.singletonList(map(0, 0)), attempt.reported);
  }

  @Test
  protected void serverThatCannotBeReachedIsLeftToTheStockShuffle() throws Exception {
    conf.setNumMapTasks(1);
    int port = server.port();
    server.close();
    succeeded(0, 0, port);
    run(null);
    assertTrue(stock.ran());
    assertEquals(Collections.nCopies(3, map(0, 0)), attempt.reported);
  }

  @Test
  protected void serverThatComesBackIsReadOn() throws Exception {
    conf.setNumMapTasks(1);
    List<String> keys = keys(new Random(8), 12_000);
    outputs.put(output(0, 0), keys, null);
    int port = server.port();
    succeeded(0, 0, port);
    RawKeyValueIterator records = run(null);
    records.next();
    server.close();
    TimeUnit.MILLISECONDS.sleep(100);
    Thread late =
        new Thread(
            () -> {
              try {
                server = serve(port);
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    late.start();
    assertEquals(keys.subList(1, keys.size()), rest(records));
    late.join();
  }

  @Test
  protected void serverThatIsLostInTheMiddleFailsTheAttempt() throws Exception {
    conf.setNumMapTasks(1);
    outputs.put(output(0, 0), keys(new Random(9), 12_000), null);
    succeeded(0, 0, server.port());
    RawKeyValueIterator records = run(null);
    records.next();
    server.close();
    IOException error = assertThrows(IOException.class, () -> rest(records));
    assertTrue(error.getMessage().contains("cannot be read beyond byte"), error::toString);
    assertTrue(error.getMessage().contains("this attempt fails"), error::toString);
    assertTrue(attempt.reported.size() >= 3, attempt.reported::toString);
    assertFalse(stock.ran());
  }

  @Test
  protected void outputThatIsWithdrawnMeanwhileIsNotReported() throws Exception {
    conf.setNumMapTasks(1);
    outputs.put(output(0, 0), keys(new Random(9), 12_000), null);
    succeeded(0, 0, server.port());
    RawKeyValueIterator records = run(null);
    records.next();
    attempt.events.add(Collections.singletonList(event(0, 0, OBSOLETE, beside(server.port()))));
    server.close();
    IOException error = assertThrows(IOException.class, () -> rest(records));
    assertTrue(error.getMessage().contains("this attempt fails"), error::toString);
    assertEquals(Collections.emptyList(), attempt.reported);
    assertFalse(stock.ran());
  }
}
