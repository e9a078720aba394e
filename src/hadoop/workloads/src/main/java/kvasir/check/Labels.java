package kvasir.check;

import java.util.HashMap;
import java.util.Map;
import kvasir.Usage;
import kvasir.bayes.Model;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Trains naive Bayes and labels documents in one process: what the jobs must have found. */
public final class Labels extends Configured implements Tool {
  @Override
  public int run(String[] arguments) throws Exception {
    Usage.expect(arguments, "TRAINING-INPUT", "TEST-INPUT");
    Model model = new Model();
    Parts.lines(new Path(arguments[0]), getConf(), model::addLine);
    model.finish();
    Map<String, Long> found = new HashMap<>();
    Parts.lines(
        new Path(arguments[1]),
        getConf(),
        line -> {
          int tab = line.indexOf('\t');
          String label = model.label(line.substring(tab + 1));
          found.merge(line.substring(0, tab) + "\t" + label, 1L, Long::sum);
        });
    System.out.println(new Json().put("labels", found));
    return 0;
  }

  /** Prints what it found. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Labels(), arguments));
  }
}
