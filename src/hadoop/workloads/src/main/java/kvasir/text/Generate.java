package kvasir.text;

import java.io.IOException;
import kvasir.Jobs;
import kvasir.Range;
import kvasir.Usage;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Job that writes files of text, one by each map task. What is in a file depends on its number, not
 * on where it is written; a file is a document of the index.
 */
public final class Generate extends Configured implements Tool {
  private static final String BYTES = "kvasir.text.bytes";
  private static final String VOCABULARY = "kvasir.text.vocabulary";
  private static final String WORDS = "kvasir.text.words";
  private static final String SEED = "kvasir.text.seed";

  /** Writes the file of its number, up to the first line that ends at or beyond its size. */
  public static final class Files extends Mapper<LongWritable, NullWritable, NullWritable, Text> {
    private final Text line = new Text();

    @Override
    protected void map(LongWritable file, NullWritable nothing, Context context)
        throws IOException, InterruptedException {
      Configuration conf = context.getConfiguration();
      Lines lines =
          new Lines(conf.getInt(VOCABULARY, 1), conf.getInt(WORDS, 2), conf.getLong(SEED, 0));
      long left = conf.getLong(BYTES, 1);
      for (long number = 0; left > 0; number++) {
        line.set(lines.line(file.get(), number));
        context.write(NullWritable.get(), line);
        left -= line.getLength() + 1;
      }
    }
  }

  @Override
  public int run(String[] arguments) throws Exception {
    Usage.expect(
        arguments, "FILES", "BYTES-OF-A-FILE", "VOCABULARY", "MEAN-WORDS", "SEED", "OUTPUT");
    Configuration conf = getConf();
    int files = (int) Usage.number("FILES", arguments[0], 1, 1_000_000);
    conf.setLong(BYTES, Usage.number("BYTES-OF-A-FILE", arguments[1], 1, Long.MAX_VALUE / 2));
    conf.setInt(VOCABULARY, (int) Usage.number("VOCABULARY", arguments[2], 1, 100_000_000));
    conf.setInt(WORDS, (int) Usage.number("MEAN-WORDS", arguments[3], 2, 1_000_000));
    conf.setLong(SEED, Usage.number("SEED", arguments[4], 0, Long.MAX_VALUE));
    Range.set(conf, 0, files, files);
    Job job = Jobs.generator(conf, "text", Files.class, NullWritable.class, Text.class);
    return Jobs.run(job, new Path(arguments[5])) ? 0 : 1;
  }

  /** Runs the job. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Generate(), arguments));
  }
}
