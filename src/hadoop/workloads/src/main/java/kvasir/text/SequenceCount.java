package kvasir.text;

import java.io.IOException;
import java.util.StringTokenizer;
import kvasir.Jobs;
import kvasir.SingleJob;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.util.ToolRunner;

/**
 * PUMA's SequenceCount: how often each sequence of three words occurs in each file, as lines {@code
 * word|word|word|file TAB count}. A sequence lies within one line of the text: what it counts does
 * not depend on where a file is split.
 */
public final class SequenceCount extends SingleJob {
  /** Names each sequence of a line. */
  public static final class Sequences extends Mapper<LongWritable, Text, Text, LongWritable> {
    private static final LongWritable ONE = new LongWritable(1);
    private final Text key = new Text();
    private String file = "";

    @Override
    protected void setup(Context context) {
      file = ((FileSplit) context.getInputSplit()).getPath().getName();
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      StringTokenizer tokens = new StringTokenizer(line.toString());
      String first = null;
      String second = null;
      while (tokens.hasMoreTokens()) {
        String third = tokens.nextToken();
        if (first != null) {
          key.set(first + '|' + second + '|' + third + '|' + file);
          context.write(key, ONE);
        }
        first = second;
        second = third;
      }
    }
  }

  @Override
  protected Job job() throws IOException {
    return Jobs.sum(getConf(), "sequence count", Sequences.class);
  }

  /** Runs the job. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new SequenceCount(), arguments));
  }
}
