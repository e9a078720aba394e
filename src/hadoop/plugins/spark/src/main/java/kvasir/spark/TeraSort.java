package kvasir.spark;

import java.io.DataInputStream;
import java.io.IOException;
import org.apache.hadoop.examples.terasort.TeraInputFormat;
import org.apache.hadoop.examples.terasort.TeraOutputFormat;
import org.apache.hadoop.examples.terasort.TeraSortConfigKeys;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.spark.Partitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * Sorts records of 100 bytes by their keys of 10. The ranges of the reduce tasks are those of
 * Hadoop's example, from the same sample, so that each file has the same bytes. The replicas of the
 * output are those of {@code dfs.replication}.
 */
public final class TeraSort {
  /** Where Hadoop's example has the ranges; its output format bears no other file. */
  private static final String RANGES = "_partition.lst";

  private TeraSort() {}

  /** Keys by their ranges. */
  private static final class Ranges extends Partitioner {
    private static final long serialVersionUID = 1L;
    private final byte[][] starts;
    private final Order order = new Order();

    /** Ranges that begin with these keys, besides the first. */
    Ranges(byte[][] starts) {
      this.starts = starts;
    }

    @Override
    public int numPartitions() {
      return starts.length + 1;
    }

    @Override
    public int getPartition(Object key) {
      int low = 0;
      int high = starts.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (order.compare(starts[middle], (byte[]) key) <= 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }
  }

  /** Samples the input as Hadoop's example does, in this process. */
  private static Ranges ranges(Job job, Path file) throws IOException {
    try {
      TeraInputFormat.writePartitionFile(job, file);
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException(e);
    }
    byte[][] starts = new byte[job.getNumReduceTasks() - 1][];
    try (DataInputStream in = file.getFileSystem(job.getConfiguration()).open(file)) {
      Text start = new Text();
      for (int i = 0; i < starts.length; i++) {
        start.readFields(in);
        starts[i] = start.copyBytes();
      }
    }
    return new Ranges(starts);
  }

  static void work(JavaSparkContext spark, String[] arguments) throws IOException {
    Job job = Program.job(spark);
    FileInputFormat.setInputPaths(job, arguments[0]);
    Ranges ranges = ranges(job, new Path(arguments[1], RANGES));
    JavaPairRDD<byte[], byte[]> sorted =
        spark
            .newAPIHadoopRDD(job.getConfiguration(), Inputs.Rows.class, Text.class, Text.class)
            .mapToPair(row -> new Tuple2<>(row._1.copyBytes(), row._2.copyBytes()))
            .repartitionAndSortWithinPartitions(ranges, new Order());
    job.getConfiguration().setBoolean(TeraSortConfigKeys.FINAL_SYNC_ATTRIBUTE.key(), true);
    job.setOutputFormatClass(TeraOutputFormat.class);
    Program.write(
        sorted.mapToPair(row -> new Tuple2<>(new Text(row._1), new Text(row._2))),
        job,
        Text.class,
        Text.class,
        arguments[1]);
  }

  /** Runs the program. */
  public static void main(String[] arguments) throws Exception {
    Program.run("terasort", arguments, TeraSort::work, "INPUT", "OUTPUT");
  }
}
