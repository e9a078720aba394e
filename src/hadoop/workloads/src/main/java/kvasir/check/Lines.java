package kvasir.check;

import java.io.IOException;
import kvasir.Usage;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Looks at lines {@code key TAB value} that a job has written: number of lines, a checksum that
 * does not depend on their order, and how many keys are smaller than the one before in their file.
 * Keys are in the order of their text or, with KEYS {@code numbers}, of their numbers.
 */
public final class Lines extends Configured implements Tool {
  private final Checksum checksum = new Checksum();
  private long disorder;

  @Override
  public int run(String[] arguments) throws Exception {
    Usage.expect(arguments, "FOLDER", "KEYS");
    boolean numbers = arguments[1].equals("numbers");
    for (Path part : Parts.of(new Path(arguments[0]), getConf())) {
      read(part, numbers);
    }
    System.out.println(checksum.json().put("disorder", disorder));
    return 0;
  }

  private void read(Path part, boolean numbers) throws IOException {
    String[] last = new String[1];
    Parts.read(
        part,
        getConf(),
        line -> {
          checksum.add(line);
          int tab = line.indexOf('\t');
          String key = tab < 0 ? line : line.substring(0, tab);
          disorder += last[0] != null && compare(last[0], key, numbers) > 0 ? 1 : 0;
          last[0] = key;
        });
  }

  private static int compare(String a, String b, boolean numbers) {
    return numbers ? Long.compare(Long.parseLong(a), Long.parseLong(b)) : a.compareTo(b);
  }

  /** Prints what it found. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Lines(), arguments));
  }
}
