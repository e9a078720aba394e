package kvasir.nvm;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/**
 * A local job whose maps make random records of their own, and whose reduce tasks write for each
 * group what does not depend on the order of equal keys: so any two right collectors have the same
 * output.
 */
final class RandomJob {
  static final String SEED = "test.seed";
  static final String MAPS = "test.maps";
  static final String RECORDS = "test.records";
  static final String LONGEST_KEY = "test.longest-key";
  static final String LONGEST_VALUE = "test.longest-value";
  static final String LARGE_VALUE = "test.large-value";
  static final String READ_MS = "test.read-ms";
  static final String MAP_MS = "test.map-ms";

  /** What the maps hand over to the collector. */
  enum Made {
    BYTES
  }

  private RandomJob() {}

  /** Settings of a local job with a collector. */
  static Configuration conf(Path tmp, Class<?> collector) {
    Configuration conf = new Configuration();
    conf.set("fs.defaultFS", "file:///");
    conf.set("mapreduce.framework.name", "local");
    conf.set("hadoop.tmp.dir", tmp.resolve("hadoop").toString());
    conf.set("mapreduce.jobtracker.staging.root.dir", tmp.resolve("staging").toString());
    conf.setInt("mapreduce.task.io.sort.mb", 1);
    conf.setClass("mapreduce.job.map.output.collector.class", collector, Object.class);
    conf.setInt("mapreduce.job.reduces", 3);
    conf.setInt("mapreduce.map.maxattempts", 1);
    conf.setInt("mapreduce.client.completion.pollinterval", 50);
    return conf;
  }

  /** A job on such settings, with the output in a folder. */
  static Job job(Configuration conf, Path output) throws IOException {
    Job job = Job.getInstance(conf);
    job.setInputFormatClass(Seeds.class);
    job.setMapperClass(Make.class);
    job.setPartitionerClass(Uneven.class);
    job.setReducerClass(Digest.class);
    job.setMapOutputKeyClass(BytesWritable.class);
    job.setMapOutputValueClass(BytesWritable.class);
    job.setOutputKeyClass(NullWritable.class);
    job.setOutputValueClass(Text.class);
    FileOutputFormat.setOutputPath(job, new org.apache.hadoop.fs.Path(output.toUri()));
    return job;
  }

  /** One number for each map task. */
  public static final class Seeds extends InputFormat<LongWritable, NullWritable> {
    @Override
    public List<InputSplit> getSplits(JobContext context) {
      List<InputSplit> splits = new ArrayList<>();
      for (int i = 0; i < context.getConfiguration().getInt(MAPS, 1); i++) {
        splits.add(new Seed(i));
      }
      return splits;
    }

    @Override
    public RecordReader<LongWritable, NullWritable> createRecordReader(
        InputSplit split, TaskAttemptContext context) {
      return new One(((Seed) split).number, context.getConfiguration().getInt(READ_MS, 0));
    }
  }

  /** A number. */
  public static final class Seed extends InputSplit implements Writable {
    private long number;

    public Seed() {}

    Seed(long number) {
      this.number = number;
    }

    @Override
    public void write(DataOutput out) throws IOException {
      out.writeLong(number);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      number = in.readLong();
    }

    @Override
    public long getLength() {
      return 1;
    }

    @Override
    public String[] getLocations() {
      return new String[0];
    }
  }

  private static final class One extends RecordReader<LongWritable, NullWritable> {
    private final LongWritable number;
    private final int sleep;
    private boolean given;

    One(long number, int sleep) {
      this.number = new LongWritable(number);
      this.sleep = sleep;
    }

    @Override
    public void initialize(InputSplit split, TaskAttemptContext context) {}

    @Override
    public boolean nextKeyValue() throws InterruptedException {
      boolean first = !given;
      given = true;
      Thread.sleep(first ? sleep : 0);
      return first;
    }

    @Override
    public LongWritable getCurrentKey() {
      return number;
    }

    @Override
    public NullWritable getCurrentValue() {
      return NullWritable.get();
    }

    @Override
    public float getProgress() {
      return 0;
    }

    @Override
    public void close() {}
  }

  /** Writes random records; keys are of few letters, so that many are equal. */
  public static final class Make
      extends Mapper<LongWritable, NullWritable, BytesWritable, BytesWritable> {
    @Override
    protected void map(LongWritable number, NullWritable none, Context context)
        throws IOException, InterruptedException {
      Configuration conf = context.getConfiguration();
      Random random = new Random(conf.getLong(SEED, 1) * 1_000 + number.get());
      Thread.sleep(conf.getInt(MAP_MS, 0));
      int records = conf.getInt(RECORDS, 1000);
      int longestKey = conf.getInt(LONGEST_KEY, 10);
      int longestValue = conf.getInt(LONGEST_VALUE, 100);
      int large = conf.getInt(LARGE_VALUE, 0);
      for (int i = 0; i < records; i++) {
        byte[] key = new byte[random.nextInt(longestKey + 1)];
        for (int j = 0; j < key.length; j++) {
          key[j] = (byte) (random.nextInt(3) * 100);
        }
        boolean larger = large > 0 && i % (records / 3 + 1) == records / 7;
        byte[] value = new byte[larger ? large : random.nextInt(longestValue + 1)];
        random.nextBytes(value);
        // Each has its length before it.
        context.getCounter(Made.BYTES).increment(key.length + value.length + 2 * Integer.BYTES);
        context.write(new BytesWritable(key), new BytesWritable(value));
      }
    }
  }

  /** Leaves some partitions without records, and one with most. */
  public static final class Uneven extends Partitioner<BytesWritable, BytesWritable> {
    @Override
    public int getPartition(BytesWritable key, BytesWritable value, int partitions) {
      return key.getLength() % 3 == 0 ? 0 : key.getLength() * 5 % partitions;
    }
  }

  /**
   * One record for all those with its key: their number and sum are kept in a value's first bytes.
   */
  public static final class Combine
      extends Reducer<BytesWritable, BytesWritable, BytesWritable, BytesWritable> {
    @Override
    protected void reduce(BytesWritable key, Iterable<BytesWritable> values, Context context)
        throws IOException, InterruptedException {
      long[] sums = sums(values);
      context.write(key, new BytesWritable((MARK + sums[0] + ":" + sums[1]).getBytes("US-ASCII")));
    }
  }

  private static final String MARK = "combined:";

  /** Number and sum of hashes of values, some of which stand for others. */
  private static long[] sums(Iterable<BytesWritable> values) throws IOException {
    long[] sums = new long[2];
    for (BytesWritable value : values) {
      byte[] bytes = value.copyBytes();
      String text = new String(bytes, 0, Math.min(bytes.length, 60), "US-ASCII");
      if (text.startsWith(MARK)) {
        String[] parts = text.split(":");
        sums[0] += Long.parseLong(parts[1]);
        sums[1] += Long.parseLong(parts[2]);
      } else {
        sums[0]++;
        sums[1] += Arrays.hashCode(bytes);
      }
    }
    return sums;
  }

  /** Writes of each group its first key, the order of its keys, and what its values are. */
  public static final class Digest
      extends Reducer<BytesWritable, BytesWritable, NullWritable, Text> {
    @Override
    protected void reduce(BytesWritable key, Iterable<BytesWritable> values, Context context)
        throws IOException, InterruptedException {
      String first = Arrays.toString(key.copyBytes());
      StringBuilder order = new StringBuilder();
      byte[][] last = {null};
      Iterable<BytesWritable> watched =
          () -> {
            java.util.Iterator<BytesWritable> all = values.iterator();
            return new java.util.Iterator<BytesWritable>() {
              @Override
              public boolean hasNext() {
                return all.hasNext();
              }

              @Override
              public BytesWritable next() {
                BytesWritable value = all.next();
                byte[] now = key.copyBytes();
                if (!Arrays.equals(now, last[0])) {
                  order.append(Arrays.hashCode(now)).append(',');
                  last[0] = now;
                }
                return value;
              }
            };
          };
      long[] sums = sums(watched);
      String line = first + " " + order.toString().hashCode() + " " + sums[0] + " " + sums[1];
      context.write(NullWritable.get(), new Text(line));
    }
  }

  /** Sorts keys from the last to the first. */
  public static final class Backwards extends WritableComparator {
    public Backwards() {
      super(BytesWritable.class);
    }

    @Override
    public int compare(byte[] a, int i, int m, byte[] b, int j, int n) {
      return compareBytes(b, j + 4, n - 4, a, i + 4, m - 4);
    }
  }

  /** Groups keys by their first byte. */
  public static final class ByFirst extends WritableComparator {
    public ByFirst() {
      super(BytesWritable.class);
    }

    @Override
    public int compare(byte[] a, int i, int m, byte[] b, int j, int n) {
      return compareBytes(b, j + 4, Math.min(1, n - 4), a, i + 4, Math.min(1, m - 4));
    }
  }
}
