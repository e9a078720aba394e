package kvasir.sets;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import kvasir.Distinct;
import kvasir.Jobs;
import kvasir.SingleJob;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.util.ToolRunner;

/**
 * PUMA's SelfJoin, the step of the Apriori algorithm that makes candidates of k + 1 items from sets
 * of k: any two sets that differ in their last item alone make one. The input is lines {@code
 * item,item,...} with items in order, the output lines {@code shared items TAB item,item}.
 */
public final class SelfJoin extends SingleJob {
  /** Separates the last item. */
  public static final class Last extends Mapper<LongWritable, Text, Text, Text> {
    private final Text shared = new Text();
    private final Text last = new Text();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      String text = line.toString();
      int comma = text.lastIndexOf(',');
      if (comma < 0) {
        throw new IOException("no set of at least two items: " + text);
      }
      shared.set(text.substring(0, comma));
      last.set(text.substring(comma + 1));
      context.write(shared, last);
    }
  }

  /** Makes all pairs of last items. */
  public static final class Pairs extends Reducer<Text, Text, Text, Text> {
    private final Text pair = new Text();

    @Override
    protected void reduce(Text shared, Iterable<Text> values, Context context)
        throws IOException, InterruptedException {
      TreeSet<String> items = new TreeSet<>();
      for (Text value : values) {
        items.add(value.toString());
      }
      List<String> sorted = new ArrayList<>(items);
      for (int i = 0; i < sorted.size(); i++) {
        for (int j = i + 1; j < sorted.size(); j++) {
          pair.set(sorted.get(i) + ',' + sorted.get(j));
          context.write(shared, pair);
        }
      }
    }
  }

  @Override
  protected Job job() throws IOException {
    Job job = Jobs.of(getConf(), "self-join", Last.class, Pairs.class, Text.class, Text.class);
    job.setCombinerClass(Distinct.class);
    return job;
  }

  /** Runs the job. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new SelfJoin(), arguments));
  }
}
