package kvasir;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/** Input of generators: the numbers from 0 to n - 1, in as many splits as map tasks are wanted. */
public final class Range extends InputFormat<LongWritable, NullWritable> {
  private static final String FROM = "kvasir.range.from";
  private static final String ITEMS = "kvasir.range.items";

  /** Hadoop's own property of this is one when jobs run in the program itself. */
  private static final String MAPS = "kvasir.range.maps";

  /** Sets the range {@code from} to {@code from + items - 1}, and the number of map tasks. */
  public static void set(Configuration conf, long from, long items, int maps) {
    conf.setLong(FROM, from);
    conf.setLong(ITEMS, items);
    conf.setInt(MAPS, maps);
  }

  @Override
  public List<InputSplit> getSplits(JobContext context) {
    Configuration conf = context.getConfiguration();
    long from = conf.getLong(FROM, 0);
    long items = conf.getLong(ITEMS, 0);
    int maps = conf.getInt(MAPS, 1);
    List<InputSplit> splits = new ArrayList<>();
    for (int i = 0; i < maps; i++) {
      splits.add(new Part(from + items * i / maps, from + items * (i + 1) / maps));
    }
    return splits;
  }

  @Override
  public RecordReader<LongWritable, NullWritable> createRecordReader(
      InputSplit split, TaskAttemptContext context) {
    return new Reader();
  }

  /** One split. */
  public static final class Part extends InputSplit implements Writable {
    private long begin;
    private long end;

    /** For Hadoop, which reads the fields afterwards. */
    public Part() {}

    Part(long begin, long end) {
      this.begin = begin;
      this.end = end;
    }

    @Override
    public long getLength() {
      return end - begin;
    }

    @Override
    public String[] getLocations() {
      return new String[0];
    }

    @Override
    public void write(DataOutput out) throws IOException {
      out.writeLong(begin);
      out.writeLong(end);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      begin = in.readLong();
      end = in.readLong();
    }
  }

  private static final class Reader extends RecordReader<LongWritable, NullWritable> {
    private final LongWritable key = new LongWritable();
    private long begin;
    private long end;
    private long next;

    @Override
    public void initialize(InputSplit split, TaskAttemptContext context) {
      begin = next = ((Part) split).begin;
      end = ((Part) split).end;
    }

    @Override
    public boolean nextKeyValue() {
      if (next >= end) {
        return false;
      }
      key.set(next++);
      return true;
    }

    @Override
    public LongWritable getCurrentKey() {
      return key;
    }

    @Override
    public NullWritable getCurrentValue() {
      return NullWritable.get();
    }

    @Override
    public float getProgress() {
      return end == begin ? 1 : (float) (next - begin) / (end - begin);
    }

    @Override
    public void close() {}
  }
}
