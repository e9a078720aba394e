package kvasir.graph;

import java.io.IOException;
import kvasir.Jobs;
import kvasir.SingleJob;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.util.ToolRunner;

/**
 * PUMA's AdjacencyList: the edges of a graph, given as lines {@code source TAB target}, grouped
 * both ways: lines {@code vertex TAB sources TAB targets}, each a list in order without
 * repetitions.
 */
public final class AdjacencyList extends SingleJob {
  /** Tells both ends of an edge of each other. */
  public static final class Ends extends EdgeMapper<Neighbours> {
    private final IntWritable vertex = new IntWritable();
    private final Neighbours to = new Neighbours();
    private final Neighbours from = new Neighbours();

    @Override
    protected void edge(int source, int target, Context context)
        throws IOException, InterruptedException {
      to.targets = new int[] {target};
      vertex.set(source);
      context.write(vertex, to);
      from.sources = new int[] {source};
      vertex.set(target);
      context.write(vertex, from);
    }
  }

  /** Joins a vertex's lists. */
  public static final class Union
      extends Reducer<IntWritable, Neighbours, IntWritable, Neighbours> {
    private final Ints sources = new Ints();
    private final Ints targets = new Ints();
    private final Neighbours all = new Neighbours();

    @Override
    protected void reduce(IntWritable vertex, Iterable<Neighbours> values, Context context)
        throws IOException, InterruptedException {
      sources.clear();
      targets.clear();
      for (Neighbours some : values) {
        sources.add(some.sources);
        targets.add(some.targets);
      }
      all.sources = sources.distinct();
      all.targets = targets.distinct();
      context.write(vertex, all);
    }
  }

  /** A program whose arguments are {@code EDGES OUTPUT}. */
  public AdjacencyList() {
    super("EDGES");
  }

  @Override
  protected Job job() throws IOException {
    Job job =
        Jobs.of(
            getConf(),
            "adjacency list",
            Ends.class,
            Union.class,
            IntWritable.class,
            Neighbours.class);
    job.setCombinerClass(Union.class);
    return job;
  }

  /** Runs the job. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new AdjacencyList(), arguments));
  }
}
