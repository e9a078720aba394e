package kvasir.bayes;

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

/** Job that writes labelled documents, one per line. */
public final class Generate extends Configured implements Tool {
  private static final String LABELS = "kvasir.bayes.labels";
  private static final String VOCABULARY = "kvasir.bayes.vocabulary";
  private static final String WORDS = "kvasir.bayes.words";
  private static final String SEED = "kvasir.bayes.seed";

  /** Makes the documents of its numbers. */
  public static final class Lines extends LineMapper {
    @Override
    protected LongFunction<String> lines(Configuration conf) {
      Documents documents =
          new Documents(
              conf.getInt(LABELS, 2),
              conf.getInt(VOCABULARY, 2),
              conf.getInt(WORDS, 1),
              conf.getLong(SEED, 0));
      return documents::line;
    }
  }

  @Override
  public int run(String[] arguments) throws Exception {
    Usage.expect(
        arguments,
        "FROM",
        "DOCUMENTS",
        "LABELS",
        "VOCABULARY",
        "MEAN-WORDS",
        "SEED",
        "MAPS",
        "OUTPUT");
    Configuration conf = getConf();
    long from = Usage.number("FROM", arguments[0], 0, Long.MAX_VALUE / 2);
    long documents = Usage.number("DOCUMENTS", arguments[1], 1, Long.MAX_VALUE / 2);
    conf.setInt(LABELS, (int) Usage.number("LABELS", arguments[2], 2, 10_000));
    conf.setInt(VOCABULARY, (int) Usage.number("VOCABULARY", arguments[3], 2, 100_000_000));
    conf.setInt(WORDS, (int) Usage.number("MEAN-WORDS", arguments[4], 2, 1_000_000));
    conf.setLong(SEED, Usage.number("SEED", arguments[5], 0, Long.MAX_VALUE));
    int maps = (int) Usage.number("MAPS", arguments[6], 1, 1_000_000);
    Range.set(conf, from, documents, maps);
    Job job =
        Jobs.generator(conf, "labelled documents", Lines.class, NullWritable.class, Text.class);
    return Jobs.run(job, new Path(arguments[7])) ? 0 : 1;
  }

  /** Runs the job. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Generate(), arguments));
  }
}
