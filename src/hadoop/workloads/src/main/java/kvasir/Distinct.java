package kvasir;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Combiner that keeps each of a key's different values once. */
public final class Distinct extends Reducer<Text, Text, Text, Text> {
  @Override
  protected void reduce(Text key, Iterable<Text> values, Context context)
      throws IOException, InterruptedException {
    Set<Text> seen = new HashSet<>();
    for (Text value : values) {
      if (!seen.contains(value)) {
        // The iterator fills the same object again.
        Text kept = new Text(value);
        seen.add(kept);
        context.write(key, kept);
      }
    }
  }
}
