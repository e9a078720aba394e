package kvasir.kmeans;

import java.io.IOException;
import kvasir.Jobs;
import kvasir.Range;
import kvasir.Usage;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Job that writes samples as a sequence file of numbers and coordinates into {@code samples}, and
 * beside it {@code centres} to start with: samples that are drawn the same way, but not among them.
 */
public final class Generate extends Configured implements Tool {
  private static final String CLUSTERS = "kvasir.kmeans.clusters";
  private static final String DIMENSIONS = "kvasir.kmeans.dimensions";
  private static final String SEED = "kvasir.kmeans.seed";

  /** Makes the samples of its numbers. */
  public static final class Draw extends Mapper<LongWritable, NullWritable, LongWritable, Sample> {
    private final Sample sample = new Sample();
    private Samples samples;

    @Override
    protected void setup(Context context) {
      samples = samples(context.getConfiguration());
    }

    @Override
    protected void map(LongWritable number, NullWritable nothing, Context context)
        throws IOException, InterruptedException {
      context.write(number, sample.set(samples.sample(number.get())));
    }
  }

  private static Samples samples(Configuration conf) {
    return new Samples(conf.getInt(CLUSTERS, 1), conf.getInt(DIMENSIONS, 1), conf.getLong(SEED, 0));
  }

  @Override
  public int run(String[] arguments) throws Exception {
    Usage.expect(
        arguments, "SAMPLES", "CLUSTERS", "DIMENSIONS", "CENTRES", "SEED", "MAPS", "OUTPUT");
    Configuration conf = getConf();
    long count = Usage.number("SAMPLES", arguments[0], 1, Long.MAX_VALUE / 2);
    conf.setInt(CLUSTERS, (int) Usage.number("CLUSTERS", arguments[1], 1, 10_000));
    conf.setInt(DIMENSIONS, (int) Usage.number("DIMENSIONS", arguments[2], 1, 10_000));
    int centres = (int) Usage.number("CENTRES", arguments[3], 1, 10_000);
    conf.setLong(SEED, Usage.number("SEED", arguments[4], 0, Long.MAX_VALUE - 1));
    Range.set(conf, 0, count, (int) Usage.number("MAPS", arguments[5], 1, 1_000_000));
    Path output = new Path(arguments[6]);
    Job job = Jobs.generator(conf, "samples", Draw.class, LongWritable.class, Sample.class);
    job.setOutputFormatClass(SequenceFileOutputFormat.class);
    if (!Jobs.run(job, new Path(output, "samples"))) {
      return 1;
    }
    double[][] first = new double[centres][];
    for (int i = 0; i < centres; i++) {
      first[i] = samples(conf).sample(count + i);
    }
    new Centres(first).write(new Path(output, "centres"), conf);
    return 0;
  }

  /** Runs the job. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Generate(), arguments));
  }
}
