package kvasir.spark;

import java.io.IOException;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparator;
import org.apache.spark.Partitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * Sorts the records of texts by their keys, as Hadoop's example: each record goes to the file that
 * its key's hash says, and each file is in order.
 */
public final class Sort {
  private Sort() {}

  /** Keys by the hash that Hadoop's texts have. */
  private static final class Hashes extends Partitioner {
    private static final long serialVersionUID = 1L;
    private final int partitions;

    Hashes(int partitions) {
      this.partitions = partitions;
    }

    @Override
    public int numPartitions() {
      return partitions;
    }

    @Override
    public int getPartition(Object key) {
      byte[] bytes = (byte[]) key;
      return (WritableComparator.hashBytes(bytes, bytes.length) & Integer.MAX_VALUE) % partitions;
    }
  }

  static void work(JavaSparkContext spark, String[] arguments) throws IOException {
    JavaPairRDD<byte[], byte[]> sorted =
        Inputs.texts(spark, arguments[0])
            .mapToPair(record -> new Tuple2<>(record._1.copyBytes(), record._2.copyBytes()))
            .repartitionAndSortWithinPartitions(new Hashes(Program.reduces(spark)), new Order());
    Program.writeSequences(
        spark,
        sorted.mapToPair(record -> new Tuple2<>(new Text(record._1), new Text(record._2))),
        Text.class,
        Text.class,
        arguments[1]);
  }

  /** Runs the program. */
  public static void main(String[] arguments) throws Exception {
    Program.run("sort", arguments, Sort::work, "INPUT", "OUTPUT");
  }
}
