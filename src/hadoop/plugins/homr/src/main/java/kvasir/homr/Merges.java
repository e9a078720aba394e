package kvasir.homr;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import kvasir.shuffle.OutputBytes;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.IFile;
import org.apache.hadoop.mapred.IFileInputStream;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Merger;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;

/** Checks map outputs and merges them, in a thread of its own, while others arrive. */
final class Merges<K, V> {
  private static final int BUFFER = 16 << 10;
  private static final int PATIENCE_S = 10;

  /** Merges records of outputs. */
  interface Merge {
    RawKeyValueIterator of(List<? extends OutputBytes> outputs) throws IOException;
  }

  private final ShuffleConsumerPlugin.Context<K, V> context;
  private final Merge merge;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread made = new Thread(task, "kvasir-homr-merges");
            made.setDaemon(true);
            return made;
          });

  Merges(ShuffleConsumerPlugin.Context<K, V> context, Merge merge) {
    this.context = context;
    this.merge = merge;
  }

  /** Compares the checksum of a whole output; says what is wrong, null when nothing is. */
  void check(Incoming output, Consumer<IOException> then) {
    thread.execute(
        () -> {
          IOException problem = null;
          try (InputStream bytes =
              new IFileInputStream(output.stored(), output.length(), context.getJobConf())) {
            byte[] buffer = new byte[BUFFER];
            while (bytes.read(buffer, 0, buffer.length) > 0) {
              continue;
            }
          } catch (Throwable e) {
            // Whatever it is: who waits for this check would wait for ever.
            problem = new IOException(output + " is corrupt: " + e, e);
          }
          then.accept(problem);
        });
  }

  /**
   * Merges what is given into a run, for which {@code granted} bytes of memory were reserved; what
   * it needs more is written to the disk. All that is given is closed. Says why it has failed, null
   * when it is done.
   */
  void merge(List<Held> all, Run run, long granted, Consumer<IOException> then) {
    thread.execute(
        () -> {
          RunWriter out = new RunWriter(run, granted);
          IOException problem = null;
          try {
            write(all, run, out, granted);
          } catch (IOException e) {
            problem = e;
          } catch (Throwable e) {
            // An Error of the job's own comparator, too: who waits for this merge would wait for
            // ever.
            problem = new IOException(e);
          }
          if (problem != null) {
            out.abandon();
            run.close();
          }
          all.forEach(Held::close);
          then.accept(problem);
        });
  }

  @SuppressWarnings("unchecked")
  private void write(List<Held> all, Run run, RunWriter out, long granted) throws IOException {
    JobConf conf = context.getJobConf();
    Counters.Counter spilled = granted == 0 ? context.getSpilledRecordsCounter() : null;
    RawKeyValueIterator records = merge.of(all);
    IFile.Writer<K, V> writer =
        new IFile.Writer<>(
            conf,
            new FSDataOutputStream(out, null),
            (Class<K>) conf.getMapOutputKeyClass(),
            (Class<V>) conf.getMapOutputValueClass(),
            context.getCodec(),
            spilled);
    Merger.writeFile(records, writer, context.getReporter(), conf);
    records.close();
    writer.close();
    out.close();
    run.end(out.written(), writer.getRawLength());
  }

  /** Ends the thread, and waits a while for what it does. */
  void stop() {
    thread.shutdownNow();
    try {
      thread.awaitTermination(PATIENCE_S, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
