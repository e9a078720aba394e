package kvasir.graph;

import java.io.IOException;
import java.util.Arrays;
import kvasir.Jobs;
import kvasir.Range;
import kvasir.Usage;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Job that writes a Kronecker graph as lines {@code source TAB target}, each edge once. */
public final class Generate extends Configured implements Tool {
  private static final String SCALE = "kvasir.kronecker.scale";
  private static final String SEED = "kvasir.kronecker.seed";

  /** What the job counts. */
  public enum Count {
    /** Different edges, as written. */
    EDGES
  }

  /** Makes the edges of its numbers. */
  public static final class Edges
      extends Mapper<LongWritable, NullWritable, IntWritable, IntWritable> {
    private final IntWritable source = new IntWritable();
    private final IntWritable target = new IntWritable();
    private Kronecker graph;

    @Override
    protected void setup(Context context) {
      graph = graph(context.getConfiguration());
    }

    @Override
    protected void map(LongWritable number, NullWritable nothing, Context context)
        throws IOException, InterruptedException {
      long edge = graph.edge(number.get());
      source.set((int) (edge >>> 32));
      target.set((int) edge);
      context.write(source, target);
    }
  }

  /** Drops repeated edges and orders those of a source. */
  public static final class Distinct
      extends Reducer<IntWritable, IntWritable, IntWritable, IntWritable> {
    private final IntWritable target = new IntWritable();
    private final Ints targets = new Ints();

    @Override
    protected void reduce(IntWritable source, Iterable<IntWritable> values, Context context)
        throws IOException, InterruptedException {
      targets.clear();
      for (IntWritable value : values) {
        targets.add(value.get());
      }
      int[] sorted = targets.toArray();
      Arrays.sort(sorted);
      long written = 0;
      for (int i = 0; i < sorted.length; i++) {
        if (i == 0 || sorted[i] != sorted[i - 1]) {
          target.set(sorted[i]);
          context.write(source, target);
          written++;
        }
      }
      context.getCounter(Count.EDGES).increment(written);
    }
  }

  static Kronecker graph(Configuration conf) {
    return new Kronecker(conf.getInt(SCALE, 1), conf.getLong(SEED, 0));
  }

  @Override
  public int run(String[] arguments) throws Exception {
    Usage.expect(arguments, "SCALE", "SEED", "MAPS", "OUTPUT");
    Configuration conf = getConf();
    conf.setInt(SCALE, (int) Usage.number("SCALE", arguments[0], 1, 30));
    conf.setLong(SEED, Usage.number("SEED", arguments[1], 0, Long.MAX_VALUE));
    int maps = (int) Usage.number("MAPS", arguments[2], 1, 1_000_000);
    Range.set(conf, 0, graph(conf).edges(), maps);
    Job job =
        Jobs.of(
            conf,
            "kronecker graph",
            Edges.class,
            Distinct.class,
            IntWritable.class,
            IntWritable.class);
    job.setInputFormatClass(Range.class);
    job.setOutputFormatClass(TextOutputFormat.class);
    return Jobs.run(job, new Path(arguments[3])) ? 0 : 1;
  }

  /** Runs the job. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Generate(), arguments));
  }
}
