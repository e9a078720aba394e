package kvasir.kmeans;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableUtils;

/** The coordinates of a sample. */
public final class Sample implements Writable {
  private double[] values = {};

  /** The coordinates; reading another sample gives another array. */
  public double[] values() {
    return values;
  }

  /** Sets the coordinates. */
  public Sample set(double[] values) {
    this.values = values;
    return this;
  }

  @Override
  public void write(DataOutput out) throws IOException {
    WritableUtils.writeVInt(out, values.length);
    for (double value : values) {
      out.writeDouble(value);
    }
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    values = new double[WritableUtils.readVInt(in)];
    for (int i = 0; i < values.length; i++) {
      values[i] = in.readDouble();
    }
  }
}
