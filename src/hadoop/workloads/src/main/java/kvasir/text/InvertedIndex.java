package kvasir.text;

import java.io.IOException;
import java.util.StringTokenizer;
import java.util.TreeSet;
import kvasir.Distinct;
import kvasir.Jobs;
import kvasir.SingleJob;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.util.ToolRunner;

/**
 * PUMA's InvertedIndex: the documents that hold each word, as lines {@code word TAB document
 * document ...}, documents in the order of their names. A document is a file, called by its name.
 */
public final class InvertedIndex extends SingleJob {
  /** Names the document of each occurrence of a word. */
  public static final class Occurrences extends Mapper<LongWritable, Text, Text, Text> {
    private final Text word = new Text();
    private final Text document = new Text();

    @Override
    protected void setup(Context context) {
      document.set(((FileSplit) context.getInputSplit()).getPath().getName());
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      StringTokenizer tokens = new StringTokenizer(line.toString());
      while (tokens.hasMoreTokens()) {
        word.set(tokens.nextToken());
        context.write(word, document);
      }
    }
  }

  /** Lists a word's documents. */
  public static final class Documents extends Reducer<Text, Text, Text, Text> {
    private final Text list = new Text();

    @Override
    protected void reduce(Text word, Iterable<Text> values, Context context)
        throws IOException, InterruptedException {
      TreeSet<String> documents = new TreeSet<>();
      for (Text value : values) {
        documents.add(value.toString());
      }
      list.set(String.join(" ", documents));
      context.write(word, list);
    }
  }

  @Override
  protected Job job() throws IOException {
    Job job =
        Jobs.of(
            getConf(),
            "inverted index",
            Occurrences.class,
            Documents.class,
            Text.class,
            Text.class);
    job.setCombinerClass(Distinct.class);
    return job;
  }

  /** Runs the job. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new InvertedIndex(), arguments));
  }
}
