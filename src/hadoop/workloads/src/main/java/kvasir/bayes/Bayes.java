package kvasir.bayes;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import kvasir.Jobs;
import kvasir.Usage;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Two jobs: count words and documents per label in labelled documents, then label other documents
 * with the model that follows. The output has the model in {@code model} and, in {@code labels},
 * lines {@code true label TAB found label TAB documents}.
 */
public final class Bayes extends Configured implements Tool {
  private static final String MODEL = "kvasir.bayes.model";

  /** What the jobs count. */
  public enum Count {
    /** Documents that were labelled. */
    LABELLED,
    /** Of these, documents that got their true label. */
    CORRECT
  }

  /** Counts words per label; the word "" stands for the document itself. */
  public static final class Train extends Mapper<LongWritable, Text, Text, LongWritable> {
    private static final LongWritable ONE = new LongWritable(1);
    private final Text key = new Text();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      String text = line.toString();
      int tab = text.indexOf('\t');
      if (tab < 0) {
        throw new IOException("no labelled document: " + text);
      }
      String label = text.substring(0, tab + 1);
      key.set(label);
      context.write(key, ONE);
      for (String word : Model.words(text.substring(tab + 1))) {
        key.set(label + word);
        context.write(key, ONE);
      }
    }
  }

  /** Labels documents. */
  public static final class Classify extends Mapper<LongWritable, Text, Text, LongWritable> {
    private static final LongWritable ONE = new LongWritable(1);
    private final Text key = new Text();
    private Model model = new Model();

    @Override
    protected void setup(Context context) throws IOException {
      model = read(new Path(context.getConfiguration().get(MODEL)), context);
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      String text = line.toString();
      int tab = text.indexOf('\t');
      String label = text.substring(0, tab);
      String found = model.label(text.substring(tab + 1));
      context.getCounter(Count.LABELLED).increment(1);
      context.getCounter(Count.CORRECT).increment(label.equals(found) ? 1 : 0);
      key.set(label + "\t" + found);
      context.write(key, ONE);
    }
  }

  static Model read(Path folder, Mapper<?, ?, ?, ?>.Context context) throws IOException {
    Model model = new Model();
    FileSystem files = folder.getFileSystem(context.getConfiguration());
    for (FileStatus part : files.globStatus(new Path(folder, "part-*"))) {
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(files.open(part.getPath()), StandardCharsets.UTF_8))) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          String[] fields = line.split("\t", -1);
          long count = Long.parseLong(fields[2]);
          if (fields[1].isEmpty()) {
            model.addDocuments(fields[0], count);
          } else {
            model.addWord(fields[0], fields[1], count);
          }
        }
      }
    }
    return model.finish();
  }

  @Override
  public int run(String[] arguments) throws Exception {
    Usage.expect(arguments, "TRAINING-INPUT", "TEST-INPUT", "OUTPUT");
    Path output = new Path(arguments[2]);
    Path model = new Path(output, "model");
    Job train = Jobs.sum(getConf(), "bayes: training", Train.class);
    if (!Jobs.run(train, new Path(arguments[0]), model)) {
      return 1;
    }
    Job classify = Jobs.sum(getConf(), "bayes: labelling", Classify.class);
    classify.getConfiguration().set(MODEL, model.toString());
    return Jobs.run(classify, new Path(arguments[1]), new Path(output, "labels")) ? 0 : 1;
  }

  /** Runs the jobs. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Bayes(), arguments));
  }
}
