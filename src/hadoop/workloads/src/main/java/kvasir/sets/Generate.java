package kvasir.sets;

import java.util.function.LongFunction;
import kvasir.Jobs;
import kvasir.LineMapper;
import kvasir.Range;
import kvasir.Usage;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Job that writes sets of items, one per line. */
public final class Generate extends Configured implements Tool {
  private static final String SETS = "kvasir.sets.sets";
  private static final String SIZE = "kvasir.sets.size";
  private static final String SEED = "kvasir.sets.seed";

  /** Makes the sets of its numbers. */
  public static final class Lines extends LineMapper {
    @Override
    protected LongFunction<String> lines(Configuration conf) {
      return new Sets(conf.getLong(SETS, 1), conf.getInt(SIZE, 2), conf.getLong(SEED, 0))::line;
    }
  }

  @Override
  public int run(String[] arguments) throws Exception {
    Usage.expect(arguments, "SETS", "ITEMS-OF-A-SET", "SEED", "MAPS", "OUTPUT");
    Configuration conf = getConf();
    long sets = Usage.number("SETS", arguments[0], 1, Long.MAX_VALUE / 2);
    conf.setLong(SETS, sets);
    conf.setInt(SIZE, (int) Usage.number("ITEMS-OF-A-SET", arguments[1], 2, 1000));
    conf.setLong(SEED, Usage.number("SEED", arguments[2], 0, Long.MAX_VALUE - 1));
    Range.set(conf, 0, sets, (int) Usage.number("MAPS", arguments[3], 1, 1_000_000));
    Job job = Jobs.generator(conf, "sets of items", Lines.class, NullWritable.class, Text.class);
    return Jobs.run(job, new Path(arguments[4])) ? 0 : 1;
  }

  /** Runs the job. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Generate(), arguments));
  }
}
