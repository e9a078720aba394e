package kvasir.spark;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Function;
import kvasir.Usage;
import kvasir.kmeans.Centres;
import kvasir.kmeans.Sample;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.StorageLevel;
import scala.Tuple2;

/**
 * K-means, as our jobs for Hadoop: a job for each iteration, then one that writes each sample with
 * the number of its nearest centre into {@code clusters}; the centres go to {@code centres}. The
 * samples stay in memory as far as it goes. With property {@code kvasir.kmeans.emit-samples} tasks
 * hand over each sample, and Spark adds them up on the map side; otherwise they add up themselves.
 */
public final class KMeans {
  private KMeans() {}

  static void work(JavaSparkContext spark, String[] arguments) throws IOException {
    int iterations = (int) Usage.number("ITERATIONS", arguments[0], 1, 10_000);
    double distance = Usage.decimal("DISTANCE", arguments[1]);
    Configuration conf = Program.job(spark).getConfiguration();
    boolean emit = conf.getBoolean("kvasir.kmeans.emit-samples", false);
    int reduces = Program.reduces(spark);
    JavaRDD<double[]> samples =
        Inputs.samples(spark, arguments[2]).persist(StorageLevel.MEMORY_AND_DISK());
    Centres centres = Centres.read(new Path(arguments[3]), conf);
    for (int i = 1; i <= iterations; i++) {
      Program.name(spark, "k-means: iteration " + i);
      String now = centres.toString();
      JavaPairRDD<Integer, double[]> sums =
          emit
              ? samples.mapPartitionsToPair(some -> each(some, Centres.parse(now)))
              : samples.mapPartitionsToPair(some -> added(some, Centres.parse(now)));
      Centres moved = moved(now, sums.reduceByKey(KMeans::sum, reduces).collectAsMap());
      double most = moved.moved(centres);
      centres = moved;
      if (most <= distance) {
        break;
      }
    }
    Program.name(spark, "k-means: clusters");
    String last = centres.toString();
    Program.writeSequences(
        spark,
        samples.mapPartitionsToPair(some -> clusters(some, Centres.parse(last))),
        IntWritable.class,
        Sample.class,
        arguments[4] + "/clusters");
    centres.write(new Path(arguments[4], "centres"), conf);
  }

  /** A sample as a sum: its coordinates, which are so coarse that sums are exact, then 1. */
  private static double[] one(double[] sample) {
    double[] sum = Arrays.copyOf(sample, sample.length + 1);
    sum[sample.length] = 1;
    return sum;
  }

  private static double[] sum(double[] some, double[] others) {
    double[] all = some.clone();
    for (int d = 0; d < all.length; d++) {
      all[d] += others[d];
    }
    return all;
  }

  private static Iterator<Tuple2<Integer, double[]>> each(
      Iterator<double[]> samples, Centres centres) {
    return mapped(samples, sample -> new Tuple2<>(centres.nearest(sample), one(sample)));
  }

  private static Iterator<Tuple2<Integer, double[]>> added(
      Iterator<double[]> samples, Centres centres) {
    Map<Integer, double[]> sums = new HashMap<>();
    while (samples.hasNext()) {
      double[] sample = samples.next();
      double[] sum =
          sums.computeIfAbsent(centres.nearest(sample), c -> new double[sample.length + 1]);
      for (int d = 0; d < sample.length; d++) {
        sum[d] += sample[d];
      }
      sum[sample.length]++;
    }
    return mapped(sums.entrySet().iterator(), sum -> new Tuple2<>(sum.getKey(), sum.getValue()));
  }

  private static Iterator<Tuple2<IntWritable, Sample>> clusters(
      Iterator<double[]> samples, Centres centres) {
    return mapped(
        samples,
        sample -> new Tuple2<>(new IntWritable(centres.nearest(sample)), new Sample().set(sample)));
  }

  private static <A, B> Iterator<B> mapped(Iterator<A> from, Function<A, B> function) {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return from.hasNext();
      }

      @Override
      public B next() {
        return function.apply(from.next());
      }
    };
  }

  /** The centres moved to the means of their samples; one without samples stays where it is. */
  private static Centres moved(String centres, Map<Integer, double[]> sums) {
    String[] lines = centres.split("\n");
    double[][] values = new double[lines.length][];
    for (int c = 0; c < lines.length; c++) {
      double[] sum = sums.get(c);
      if (sum == null) {
        values[c] = Arrays.stream(lines[c].split(" ")).mapToDouble(Double::parseDouble).toArray();
      } else {
        values[c] = new double[sum.length - 1];
        for (int d = 0; d < values[c].length; d++) {
          values[c][d] = sum[d] / sum[sum.length - 1];
        }
      }
    }
    return new Centres(values);
  }

  /** Runs the program. */
  public static void main(String[] arguments) throws Exception {
    Program.run(
        "kmeans",
        arguments,
        KMeans::work,
        "ITERATIONS",
        "DISTANCE",
        "SAMPLES",
        "CENTRES",
        "OUTPUT");
  }
}
