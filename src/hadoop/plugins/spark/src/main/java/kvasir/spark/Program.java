package kvasir.spark;

import java.io.IOException;
import kvasir.Usage;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;

/** What all programs do alike: start Spark, name their jobs, write as Hadoop's jobs. */
final class Program {
  private Program() {}

  /** The work of a program between Spark's start and its end. */
  @FunctionalInterface
  interface Work {
    void run(JavaSparkContext spark, String[] arguments) throws Exception;
  }

  /** Runs a program with as many arguments as there are {@code names}. */
  static void run(String title, String[] arguments, Work work, String... names) throws Exception {
    Usage.expect(arguments, names);
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf().setAppName(title))) {
      name(spark, title);
      work.run(spark, arguments);
    }
  }

  /** Names the jobs that come next. */
  static void name(JavaSparkContext spark, String title) {
    spark.sc().setJobDescription(title);
  }

  /** A job of Hadoop's configuration, to set up formats with; it does not run. */
  static Job job(JavaSparkContext spark) throws IOException {
    return Job.getInstance(spark.hadoopConfiguration());
  }

  /** Number of reduce tasks, that of Hadoop's jobs. */
  static int reduces(JavaSparkContext spark) throws IOException {
    return job(spark).getNumReduceTasks();
  }

  /** Writes lines {@code key TAB value}, a file for each partition. */
  static <K, V> void writeLines(
      JavaSparkContext spark, JavaPairRDD<K, V> rows, Class<K> key, Class<V> value, String folder)
      throws IOException {
    Job job = job(spark);
    job.setOutputFormatClass(TextOutputFormat.class);
    write(rows, job, key, value, folder);
  }

  /** Writes sequence files, one for each partition. */
  static <K, V> void writeSequences(
      JavaSparkContext spark, JavaPairRDD<K, V> rows, Class<K> key, Class<V> value, String folder)
      throws IOException {
    Job job = job(spark);
    job.setOutputFormatClass(SequenceFileOutputFormat.class);
    write(rows, job, key, value, folder);
  }

  /** Writes files as a job says that is set up for it. */
  static <K, V> void write(
      JavaPairRDD<K, V> rows, Job job, Class<K> key, Class<V> value, String folder) {
    job.setOutputKeyClass(key);
    job.setOutputValueClass(value);
    FileOutputFormat.setOutputPath(job, new Path(folder));
    rows.saveAsNewAPIHadoopDataset(job.getConfiguration());
  }
}
