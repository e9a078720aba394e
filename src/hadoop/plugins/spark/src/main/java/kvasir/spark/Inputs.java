package kvasir.spark;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import kvasir.kmeans.Sample;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.examples.terasort.TeraInputFormat;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * The inputs of Hadoop's jobs, in the same splits. HDFS may name hosts by addresses; Spark looks
 * for executors by these names and would find none where the data are. Hadoop's application master
 * looks up the hosts' own names first, and so do these formats.
 */
final class Inputs {
  private static final Pattern ADDRESS = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

  private Inputs() {}

  /** Sequence files of texts. */
  public static final class Texts extends SequenceFileInputFormat<Text, Text> {
    @Override
    public List<InputSplit> getSplits(JobContext job) throws IOException {
      return named(super.getSplits(job));
    }
  }

  /** Sequence files of numbers and samples. */
  public static final class Samples extends SequenceFileInputFormat<LongWritable, Sample> {
    @Override
    public List<InputSplit> getSplits(JobContext job) throws IOException {
      return named(super.getSplits(job));
    }
  }

  /** Lines of text. */
  public static final class Lines extends TextInputFormat {
    @Override
    public List<InputSplit> getSplits(JobContext job) throws IOException {
      return named(super.getSplits(job));
    }
  }

  /** Records of 100 bytes. */
  public static final class Rows extends TeraInputFormat {
    @Override
    public List<InputSplit> getSplits(JobContext job) throws IOException {
      return named(super.getSplits(job));
    }
  }

  private static List<InputSplit> named(List<InputSplit> splits) throws IOException {
    List<InputSplit> found = new ArrayList<>();
    for (InputSplit split : splits) {
      FileSplit file = (FileSplit) split;
      String[] hosts = file.getLocations();
      for (int i = 0; i < hosts.length; i++) {
        hosts[i] = name(hosts[i]);
      }
      found.add(new FileSplit(file.getPath(), file.getStart(), file.getLength(), hosts));
    }
    return found;
  }

  /** A host's own name, if it is known; otherwise what it is called here. */
  static String name(String host) {
    try {
      return ADDRESS.matcher(host).matches() ? InetAddress.getByName(host).getHostName() : host;
    } catch (UnknownHostException e) {
      return host;
    }
  }

  /** Keys and values of sequence files; the objects are the reader's, which uses them again. */
  static JavaPairRDD<Text, Text> texts(JavaSparkContext spark, String folder) throws IOException {
    return read(spark, folder, Texts.class, Text.class, Text.class);
  }

  /** Coordinates of samples. */
  static JavaRDD<double[]> samples(JavaSparkContext spark, String folder) throws IOException {
    return read(spark, folder, Samples.class, LongWritable.class, Sample.class)
        .map(record -> record._2.values());
  }

  /** Lines of text. */
  static JavaRDD<String> lines(JavaSparkContext spark, String folder) throws IOException {
    return read(spark, folder, Lines.class, LongWritable.class, Text.class)
        .map(line -> line._2.toString());
  }

  private static <K, V, F extends FileInputFormat<K, V>> JavaPairRDD<K, V> read(
      JavaSparkContext spark, String folder, Class<F> format, Class<K> key, Class<V> value)
      throws IOException {
    Configuration conf = Program.job(spark).getConfiguration();
    return spark.newAPIHadoopFile(folder, format, key, value, conf);
  }
}
