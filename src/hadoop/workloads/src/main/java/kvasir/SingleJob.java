package kvasir;

import java.io.IOException;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.util.Tool;

/** Program that runs one job, from an input to an output. */
public abstract class SingleJob extends Configured implements Tool {
  private final String input;

  /** A program whose arguments are {@code INPUT OUTPUT}. */
  protected SingleJob() {
    this("INPUT");
  }

  /**
   * A program whose input has a name of its own.
   *
   * @param input for the message about wrong arguments
   */
  protected SingleJob(String input) {
    this.input = input;
  }

  /** The job, to which input and output are still to be given. */
  protected abstract Job job() throws IOException;

  @Override
  public final int run(String[] arguments) throws Exception {
    Usage.expect(arguments, input, "OUTPUT");
    return Jobs.run(job(), new Path(arguments[0]), new Path(arguments[1])) ? 0 : 1;
  }
}
