package kvasir;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.LongSumReducer;

/** Sets up and runs jobs with at most one input, and one output; their jar is the mapper's. */
public final class Jobs {
  private Jobs() {}

  /** A job whose map and reduce tasks write keys and values of the same classes. */
  public static Job of(
      Configuration conf,
      String name,
      Class<? extends Mapper<?, ?, ?, ?>> map,
      Class<? extends Reducer<?, ?, ?, ?>> reduce,
      Class<?> key,
      Class<?> value)
      throws IOException {
    Job job = writing(conf, name, map, key, value);
    job.setReducerClass(reduce);
    return job;
  }

  /** A job that adds up, on the map side too, the numbers that its map tasks write for a text. */
  public static Job sum(
      Configuration conf, String name, Class<? extends Mapper<?, ?, Text, LongWritable>> map)
      throws IOException {
    Job job = writing(conf, name, map, Text.class, LongWritable.class);
    job.setCombinerClass(LongSumReducer.class);
    job.setReducerClass(LongSumReducer.class);
    return job;
  }

  /** A job without reduce tasks. */
  public static Job mapOnly(
      Configuration conf,
      String name,
      Class<? extends Mapper<?, ?, ?, ?>> map,
      Class<?> key,
      Class<?> value)
      throws IOException {
    Job job = writing(conf, name, map, key, value);
    job.setNumReduceTasks(0);
    return job;
  }

  /** A generator: map tasks alone, over a {@link Range} that is set. */
  public static Job generator(
      Configuration conf,
      String name,
      Class<? extends Mapper<?, ?, ?, ?>> map,
      Class<?> key,
      Class<?> value)
      throws IOException {
    Job job = mapOnly(conf, name, map, key, value);
    job.setInputFormatClass(Range.class);
    return job;
  }

  private static Job writing(
      Configuration conf,
      String name,
      Class<? extends Mapper<?, ?, ?, ?>> map,
      Class<?> key,
      Class<?> value)
      throws IOException {
    Job job = Job.getInstance(conf, name);
    job.setJarByClass(map);
    job.setMapperClass(map);
    job.setOutputKeyClass(key);
    job.setOutputValueClass(value);
    return job;
  }

  /** Runs a job; whether it ended well. */
  public static boolean run(Job job, Path input, Path output) throws Exception {
    FileInputFormat.addInputPath(job, input);
    return run(job, output);
  }

  /** Runs a job without input files; whether it ended well. */
  public static boolean run(Job job, Path output) throws Exception {
    FileOutputFormat.setOutputPath(job, output);
    return job.waitForCompletion(true);
  }
}
