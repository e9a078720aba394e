package kvasir.text;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import kvasir.Jobs;
import kvasir.SingleJob;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.util.ToolRunner;

/**
 * PUMA's RankedInvertedIndex: turns the output of {@link SequenceCount} into lines {@code
 * word|word|word TAB file:count file:count ...}, the file with the highest count first, of equal
 * ones that whose name is first.
 */
public final class RankedInvertedIndex extends SingleJob {
  /** Separates sequence, file and count. */
  public static final class Split extends Mapper<LongWritable, Text, Text, Text> {
    private final Text sequence = new Text();
    private final Text count = new Text();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      String text = line.toString();
      int tab = text.lastIndexOf('\t');
      int bar = text.lastIndexOf('|', tab);
      if (tab < 0 || bar < 0) {
        throw new IOException("no count of a sequence in a file: " + text);
      }
      sequence.set(text.substring(0, bar));
      count.set(text.substring(bar + 1, tab) + ':' + text.substring(tab + 1));
      context.write(sequence, count);
    }
  }

  /** Ranks a sequence's files. */
  public static final class Rank extends Reducer<Text, Text, Text, Text> {
    private static final Comparator<String> HIGHEST_FIRST =
        Comparator.comparingLong(Rank::count).reversed().thenComparing(Rank::file);
    private final Text list = new Text();

    private static long count(String entry) {
      return Long.parseLong(entry.substring(entry.lastIndexOf(':') + 1));
    }

    private static String file(String entry) {
      return entry.substring(0, entry.lastIndexOf(':'));
    }

    @Override
    protected void reduce(Text sequence, Iterable<Text> values, Context context)
        throws IOException, InterruptedException {
      List<String> entries = new ArrayList<>();
      for (Text value : values) {
        entries.add(value.toString());
      }
      entries.sort(HIGHEST_FIRST);
      list.set(String.join(" ", entries));
      context.write(sequence, list);
    }
  }

  /** A program whose arguments are {@code SEQUENCE-COUNTS OUTPUT}. */
  public RankedInvertedIndex() {
    super("SEQUENCE-COUNTS");
  }

  @Override
  protected Job job() throws IOException {
    return Jobs.of(
        getConf(), "ranked inverted index", Split.class, Rank.class, Text.class, Text.class);
  }

  /** Runs the job. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new RankedInvertedIndex(), arguments));
  }
}
