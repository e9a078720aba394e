package kvasir.check;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.StringTokenizer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import kvasir.Usage;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Looks at sequence files of texts, the input and output of Sort and the input of WordCount and
 * Grep: number of records, a checksum that does not depend on their order, how many keys are
 * smaller than the one before in their file and how many lie in another file than their hash says.
 * With a pattern, for values: occurrences of each word, and of each match of the pattern.
 */
public final class Records extends Configured implements Tool {
  private final Map<String, long[]> words = new HashMap<>();
  private final Map<String, Long> matches = new HashMap<>();
  private long records;
  private long checksum;
  private long disorder;
  private long misplaced;

  @Override
  public int run(String[] arguments) throws Exception {
    boolean values = arguments.length > 1;
    Usage.expect(arguments, values ? new String[] {"FOLDER", "PATTERN"} : new String[] {"FOLDER"});
    Path[] parts = Parts.of(new Path(arguments[0]), getConf());
    Pattern pattern = values ? Pattern.compile(arguments[1]) : null;
    for (int i = 0; i < parts.length; i++) {
      read(parts[i], i, parts.length, pattern);
    }
    Json json =
        new Json()
            .put("records", records)
            .put("checksum", checksum)
            .put("disorder", disorder)
            .put("misplaced", misplaced);
    if (values) {
      Map<String, Long> counts = new HashMap<>();
      words.forEach((word, count) -> counts.put(word, count[0]));
      json.put("words", counts).put("matches", matches);
    }
    System.out.println(json);
    return 0;
  }

  private void read(Path part, int number, int parts, Pattern pattern) throws IOException {
    Configuration conf = getConf();
    try (SequenceFile.Reader reader =
        new SequenceFile.Reader(conf, SequenceFile.Reader.file(part))) {
      Text key = new Text();
      Text value = new Text();
      Text last = new Text();
      while (reader.next(key, value)) {
        records++;
        checksum += hash(key, 1) * 31 + hash(value, hash(key, 2));
        disorder += key.compareTo(last) < 0 ? 1 : 0;
        misplaced += (key.hashCode() & Integer.MAX_VALUE) % parts == number ? 0 : 1;
        last.set(key);
        if (pattern != null) {
          count(value.toString(), pattern);
        }
      }
    }
  }

  private void count(String line, Pattern pattern) {
    StringTokenizer tokens = new StringTokenizer(line);
    while (tokens.hasMoreTokens()) {
      words.computeIfAbsent(tokens.nextToken(), w -> new long[1])[0]++;
    }
    Matcher matcher = pattern.matcher(line);
    while (matcher.find()) {
      matches.merge(matcher.group(), 1L, Long::sum);
    }
  }

  /** FNV-1a with 64 bits. */
  static long hash(Text text, long start) {
    long hash = 0xcbf29ce484222325L ^ start;
    byte[] bytes = text.getBytes();
    for (int i = 0; i < text.getLength(); i++) {
      hash = (hash ^ bytes[i] & 0xff) * 0x100000001b3L;
    }
    return hash;
  }

  /** Prints what it found. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Records(), arguments));
  }
}
