package kvasir.graph;

import java.io.IOException;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Map task that reads edges, given as lines {@code source TAB target}. */
abstract class EdgeMapper<V> extends Mapper<LongWritable, Text, IntWritable, V> {
  /** Takes an edge. */
  protected abstract void edge(int source, int target, Context context)
      throws IOException, InterruptedException;

  @Override
  protected final void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String text = line.toString();
    int tab = text.indexOf('\t');
    if (tab < 0) {
      throw new IOException("no edge: " + text);
    }
    int source = Integer.parseInt(text.substring(0, tab));
    edge(source, Integer.parseInt(text.substring(tab + 1)), context);
  }
}
