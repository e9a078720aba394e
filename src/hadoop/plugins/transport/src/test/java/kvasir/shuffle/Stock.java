package kvasir.shuffle;

import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.util.Progress;

/** Stands for Hadoop's own shuffle. */
public final class Stock implements ShuffleConsumerPlugin<Text, Text> {
  private boolean ran;

  /** Returns whether it was run. */
  public boolean ran() {
    return ran;
  }

  @Override
  public void init(Context<Text, Text> context) {}

  @Override
  public RawKeyValueIterator run() {
    ran = true;
    return new RawKeyValueIterator() {
      @Override
      public DataInputBuffer getKey() {
        return null;
      }

      @Override
      public DataInputBuffer getValue() {
        return null;
      }

      @Override
      public boolean next() {
        return false;
      }

      @Override
      public void close() {}

      @Override
      public Progress getProgress() {
        return new Progress();
      }
    };
  }

  @Override
  public void close() {}
}
