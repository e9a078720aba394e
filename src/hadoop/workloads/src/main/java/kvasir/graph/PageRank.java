package kvasir.graph;

import java.io.IOException;
import java.util.Arrays;
import kvasir.Jobs;
import kvasir.Usage;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * PageRank of a graph given as lines {@code source TAB target}: one job that collects each vertex's
 * targets, then one job per iteration. Vertices are those that an edge names. Damping is 0.85; the
 * rank of vertices without targets is spread over all, so that the ranks add up to 1. The output is
 * lines {@code vertex TAB rank}.
 */
public final class PageRank extends Configured implements Tool {
  static final double DAMPING = 0.85;
  private static final String VERTICES = "kvasir.pagerank.vertices";
  private static final String DANGLING = "kvasir.pagerank.dangling";
  private static final String FIRST = "kvasir.pagerank.first";
  private static final String LAST = "kvasir.pagerank.last";

  /** Counters hold whole numbers: shares of the whole rank are counted in this many parts. */
  private static final double PARTS = 1L << 60;

  /** What the jobs count. */
  public enum Count {
    /** Vertices. */
    VERTICES,
    /** Vertices without targets. */
    SINKS,
    /** Rank of vertices without targets, in {@link #PARTS}. */
    DANGLING
  }

  /** Reads edges; a target is named too, so that it becomes a vertex. */
  public static final class Edges extends EdgeMapper<IntWritable> {
    private static final IntWritable NO_TARGET = new IntWritable(-1);
    private final IntWritable from = new IntWritable();
    private final IntWritable to = new IntWritable();

    @Override
    protected void edge(int source, int target, Context context)
        throws IOException, InterruptedException {
      from.set(source);
      to.set(target);
      context.write(from, to);
      context.write(to, NO_TARGET);
    }
  }

  /** A vertex need be named once only. */
  public static final class Named
      extends Reducer<IntWritable, IntWritable, IntWritable, IntWritable> {
    @Override
    protected void reduce(IntWritable vertex, Iterable<IntWritable> targets, Context context)
        throws IOException, InterruptedException {
      boolean named = false;
      for (IntWritable target : targets) {
        if (target.get() >= 0 || !named) {
          context.write(vertex, target);
        }
        named |= target.get() < 0;
      }
    }
  }

  /** Collects a vertex's targets. */
  public static final class Collect extends Reducer<IntWritable, IntWritable, IntWritable, Vertex> {
    private final Vertex vertex = new Vertex();
    private final Ints targets = new Ints();

    @Override
    protected void reduce(IntWritable name, Iterable<IntWritable> values, Context context)
        throws IOException, InterruptedException {
      targets.clear();
      for (IntWritable value : values) {
        if (value.get() >= 0) {
          targets.add(value.get());
        }
      }
      int[] sorted = targets.toArray();
      Arrays.sort(sorted);
      context.write(name, vertex.whole(0, sorted));
      context.getCounter(Count.VERTICES).increment(1);
      context.getCounter(Count.SINKS).increment(sorted.length == 0 ? 1 : 0);
    }
  }

  /** Gives each target its share of a vertex's rank. */
  public static final class Give extends Mapper<IntWritable, Vertex, IntWritable, Vertex> {
    private final IntWritable name = new IntWritable();
    private final Vertex share = new Vertex();
    private double first;

    @Override
    protected void setup(Context context) {
      Configuration conf = context.getConfiguration();
      // Before the first iteration all ranks are equal.
      first = conf.getBoolean(FIRST, false) ? 1.0 / conf.getLong(VERTICES, 1) : 0;
    }

    @Override
    protected void map(IntWritable source, Vertex vertex, Context context)
        throws IOException, InterruptedException {
      double rank = first > 0 ? first : vertex.rank;
      for (int target : vertex.targets) {
        name.set(target);
        context.write(name, share.share(rank / vertex.targets.length));
      }
      context.write(source, vertex.whole(0, vertex.targets));
    }
  }

  /** Adds up shares, on the map side. */
  public static final class Add extends Reducer<IntWritable, Vertex, IntWritable, Vertex> {
    private final Vertex sum = new Vertex();

    @Override
    protected void reduce(IntWritable name, Iterable<Vertex> values, Context context)
        throws IOException, InterruptedException {
      context.write(name, add(values, sum));
    }
  }

  /** Adds up shares to the new rank. */
  public static final class Rank extends Reducer<IntWritable, Vertex, IntWritable, Writable> {
    private final Vertex sum = new Vertex();
    private final DoubleWritable rank = new DoubleWritable();
    private double base;
    private boolean last;
    private double dangling;

    @Override
    protected void setup(Context context) {
      Configuration conf = context.getConfiguration();
      double vertices = conf.getLong(VERTICES, 1);
      base = ((1 - DAMPING) + DAMPING * conf.getDouble(DANGLING, 0)) / vertices;
      last = conf.getBoolean(LAST, false);
    }

    @Override
    protected void reduce(IntWritable name, Iterable<Vertex> values, Context context)
        throws IOException, InterruptedException {
      add(values, sum);
      sum.rank = base + DAMPING * sum.rank;
      if (sum.targets.length == 0) {
        dangling += sum.rank;
      }
      rank.set(sum.rank);
      context.write(name, last ? rank : sum);
    }

    @Override
    protected void cleanup(Context context) {
      context.getCounter(Count.DANGLING).increment(Math.round(dangling * PARTS));
    }
  }

  static Vertex add(Iterable<Vertex> values, Vertex sum) {
    sum.share(0);
    for (Vertex value : values) {
      sum.rank += value.rank;
      if (value.whole) {
        sum.whole = true;
        sum.targets = value.targets;
      }
    }
    return sum;
  }

  @Override
  public int run(String[] arguments) throws Exception {
    Usage.expect(arguments, "ITERATIONS", "EDGES", "OUTPUT");
    int iterations = (int) Usage.number("ITERATIONS", arguments[0], 1, 10_000);
    Path output = new Path(arguments[2]);
    Path work = new Path(output.getParent(), output.getName() + ".work");
    FileSystem files = work.getFileSystem(getConf());
    files.delete(work, true);

    Path current = new Path(work, "0");
    Job collect =
        Jobs.of(
            getConf(),
            "pagerank: targets",
            Edges.class,
            Collect.class,
            IntWritable.class,
            Vertex.class);
    collect.setCombinerClass(Named.class);
    collect.setMapOutputValueClass(IntWritable.class);
    collect.setOutputFormatClass(SequenceFileOutputFormat.class);
    if (!Jobs.run(collect, new Path(arguments[1]), current)) {
      return 1;
    }
    long vertices = collect.getCounters().findCounter(Count.VERTICES).getValue();
    if (vertices == 0) {
      throw new IOException(arguments[1] + " holds no edges");
    }
    double dangling = (double) collect.getCounters().findCounter(Count.SINKS).getValue() / vertices;

    for (int i = 1; i <= iterations; i++) {
      boolean last = i == iterations;
      Path next = last ? output : new Path(work, String.valueOf(i));
      Job job =
          Jobs.of(
              getConf(),
              "pagerank: iteration " + i,
              Give.class,
              Rank.class,
              IntWritable.class,
              last ? DoubleWritable.class : Vertex.class);
      job.setCombinerClass(Add.class);
      job.getConfiguration().setLong(VERTICES, vertices);
      job.getConfiguration().setDouble(DANGLING, dangling);
      job.getConfiguration().setBoolean(FIRST, i == 1);
      job.getConfiguration().setBoolean(LAST, last);
      job.setInputFormatClass(SequenceFileInputFormat.class);
      job.setMapOutputValueClass(Vertex.class);
      job.setOutputFormatClass(last ? TextOutputFormat.class : SequenceFileOutputFormat.class);
      if (!Jobs.run(job, current, next)) {
        return 1;
      }
      dangling = job.getCounters().findCounter(Count.DANGLING).getValue() / PARTS;
      files.delete(current, true);
      current = next;
    }
    files.delete(work, true);
    return 0;
  }

  /** Runs the jobs. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new PageRank(), arguments));
  }
}
