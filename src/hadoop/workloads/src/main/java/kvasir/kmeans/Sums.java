package kvasir.kmeans;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableUtils;

/**
 * Number of samples and sums of their coordinates. Sums are whole numbers, in steps of 1 / {@link
 * Samples#GRID}: their order, and so the number of tasks, does not change them.
 */
public final class Sums implements Writable {
  private long count;
  private long[] steps = {};

  /** Number of samples. */
  long count() {
    return count;
  }

  /** Makes this the sums of no sample. */
  void clear() {
    count = 0;
    steps = new long[0];
  }

  /** Adds a sample. */
  void add(double[] sample) {
    grow(sample.length);
    count++;
    for (int d = 0; d < sample.length; d++) {
      steps[d] += Math.round(sample[d] * Samples.GRID);
    }
  }

  /** Adds the samples of others. */
  void add(Sums others) {
    grow(others.steps.length);
    count += others.count;
    for (int d = 0; d < others.steps.length; d++) {
      steps[d] += others.steps[d];
    }
  }

  private void grow(int dimensions) {
    if (steps.length == 0) {
      steps = new long[dimensions];
    }
  }

  /** The mean of the samples, of which there is at least one. */
  double[] mean() {
    double[] mean = new double[steps.length];
    for (int d = 0; d < mean.length; d++) {
      mean[d] = steps[d] / (double) count / Samples.GRID;
    }
    return mean;
  }

  @Override
  public void write(DataOutput out) throws IOException {
    WritableUtils.writeVLong(out, count);
    WritableUtils.writeVInt(out, steps.length);
    for (long sum : steps) {
      out.writeLong(sum);
    }
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    count = WritableUtils.readVLong(in);
    steps = new long[WritableUtils.readVInt(in)];
    for (int d = 0; d < steps.length; d++) {
      steps[d] = in.readLong();
    }
  }
}
