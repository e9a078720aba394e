package kvasir.kmeans;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import kvasir.Jobs;
import kvasir.Usage;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * K-means, as HiBench runs that of Mahout: a job for each iteration, which moves each centre to the
 * mean of the samples nearest to it, until none moves farther than a given distance or all
 * iterations are done; then a job without reduce tasks that says for each sample which centre is
 * nearest. A centre without samples stays where it is. The output has {@code centres} and, in
 * {@code clusters}, sequence files of a centre's number and a sample.
 *
 * <p>As in Mahout a map task adds up its samples itself. With property {@code
 * kvasir.kmeans.emit-samples} it hands over each, and a combiner adds them up.
 */
public final class KMeans extends Configured implements Tool {
  static final String EMIT_SAMPLES = "kvasir.kmeans.emit-samples";
  private static final String CENTRES = "kvasir.kmeans.centres";

  /** Adds up samples by their nearest centre. */
  public static final class Nearest extends Mapper<LongWritable, Sample, IntWritable, Sums> {
    private final IntWritable number = new IntWritable();
    private final Sums one = new Sums();
    private Centres centres = new Centres(new double[0][]);
    private Sums[] sums = {};
    private boolean emit;

    @Override
    protected void setup(Context context) {
      centres = Centres.parse(context.getConfiguration().get(CENTRES));
      emit = context.getConfiguration().getBoolean(EMIT_SAMPLES, false);
      sums = new Sums[centres.size()];
      for (int i = 0; i < sums.length; i++) {
        sums[i] = new Sums();
      }
    }

    @Override
    protected void map(LongWritable key, Sample sample, Context context)
        throws IOException, InterruptedException {
      int nearest = centres.nearest(sample.values());
      if (!emit) {
        sums[nearest].add(sample.values());
        return;
      }
      one.clear();
      one.add(sample.values());
      number.set(nearest);
      context.write(number, one);
    }

    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      for (int i = 0; i < sums.length; i++) {
        if (sums[i].count() > 0) {
          number.set(i);
          context.write(number, sums[i]);
        }
      }
    }
  }

  /** Adds up sums. */
  public static final class Add extends Reducer<IntWritable, Sums, IntWritable, Sums> {
    private final Sums all = new Sums();

    @Override
    protected void reduce(IntWritable centre, Iterable<Sums> values, Context context)
        throws IOException, InterruptedException {
      context.write(centre, all(values, all));
    }
  }

  /** Moves centres: writes a centre's number and its new coordinates. */
  public static final class Move extends Reducer<IntWritable, Sums, IntWritable, Text> {
    private final Sums all = new Sums();
    private final Text coordinates = new Text();

    @Override
    protected void reduce(IntWritable centre, Iterable<Sums> values, Context context)
        throws IOException, InterruptedException {
      double[][] moved = {all(values, all).mean()};
      coordinates.set(new Centres(moved).toString().trim());
      context.write(centre, coordinates);
    }
  }

  /** Puts each sample to its nearest centre. */
  public static final class Assign extends Mapper<LongWritable, Sample, IntWritable, Sample> {
    private final IntWritable number = new IntWritable();
    private Centres centres = new Centres(new double[0][]);

    @Override
    protected void setup(Context context) {
      centres = Centres.parse(context.getConfiguration().get(CENTRES));
    }

    @Override
    protected void map(LongWritable key, Sample sample, Context context)
        throws IOException, InterruptedException {
      number.set(centres.nearest(sample.values()));
      context.write(number, sample);
    }
  }

  private static Sums all(Iterable<Sums> values, Sums all) {
    all.clear();
    for (Sums some : values) {
      all.add(some);
    }
    return all;
  }

  @Override
  public int run(String[] arguments) throws Exception {
    Usage.expect(arguments, "ITERATIONS", "DISTANCE", "SAMPLES", "CENTRES", "OUTPUT");
    int iterations = (int) Usage.number("ITERATIONS", arguments[0], 1, 10_000);
    double distance = Usage.decimal("DISTANCE", arguments[1]);
    Path samples = new Path(arguments[2]);
    Path output = new Path(arguments[4]);
    Configuration conf = getConf();
    FileSystem files = output.getFileSystem(conf);
    Centres centres = Centres.read(new Path(arguments[3]), conf);
    for (int i = 1; i <= iterations; i++) {
      Path next = new Path(output, "iteration-" + i);
      Job job =
          Jobs.of(
              conf,
              "k-means: iteration " + i,
              Nearest.class,
              Move.class,
              IntWritable.class,
              Text.class);
      job.getConfiguration().set(CENTRES, centres.toString());
      job.setInputFormatClass(SequenceFileInputFormat.class);
      job.setMapOutputValueClass(Sums.class);
      job.setCombinerClass(Add.class);
      if (!Jobs.run(job, samples, next)) {
        return 1;
      }
      Centres moved = moved(centres, next);
      files.delete(next, true);
      double most = moved.moved(centres);
      centres = moved;
      if (most <= distance) {
        break;
      }
    }
    Job assign =
        Jobs.mapOnly(conf, "k-means: clusters", Assign.class, IntWritable.class, Sample.class);
    assign.getConfiguration().set(CENTRES, centres.toString());
    assign.setInputFormatClass(SequenceFileInputFormat.class);
    assign.setOutputFormatClass(SequenceFileOutputFormat.class);
    if (!Jobs.run(assign, samples, new Path(output, "clusters"))) {
      return 1;
    }
    centres.write(new Path(output, "centres"), conf);
    return 0;
  }

  /** The centres after an iteration that left its output in a folder. */
  private Centres moved(Centres centres, Path folder) throws IOException {
    double[][] values = new double[centres.size()][];
    for (int i = 0; i < values.length; i++) {
      values[i] = centres.get(i);
    }
    FileSystem files = folder.getFileSystem(getConf());
    for (FileStatus part : files.globStatus(new Path(folder, "part-*"))) {
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(files.open(part.getPath()), StandardCharsets.UTF_8))) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          int tab = line.indexOf('\t');
          int centre = Integer.parseInt(line.substring(0, tab));
          values[centre] = Centres.parse(line.substring(tab + 1)).get(0);
        }
      }
    }
    return new Centres(values);
  }

  /** Runs the jobs. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new KMeans(), arguments));
  }
}
