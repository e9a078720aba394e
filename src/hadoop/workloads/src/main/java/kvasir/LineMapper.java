package kvasir;

import java.io.IOException;
import java.util.function.LongFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Map task of a generator that writes a line for each of its numbers. */
public abstract class LineMapper extends Mapper<LongWritable, NullWritable, NullWritable, Text> {
  private final Text line = new Text();
  private LongFunction<String> lines = number -> "";

  /** The lines by their numbers. */
  protected abstract LongFunction<String> lines(Configuration conf);

  @Override
  protected final void setup(Context context) {
    lines = lines(context.getConfiguration());
  }

  @Override
  protected final void map(LongWritable number, NullWritable nothing, Context context)
      throws IOException, InterruptedException {
    line.set(lines.apply(number.get()));
    context.write(NullWritable.get(), line);
  }
}
