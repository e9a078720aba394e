package kvasir.graph;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableUtils;

/**
 * What travels between the tasks of PageRank: a vertex with its targets, a share of rank for one,
 * or both.
 */
public final class Vertex implements Writable {
  private static final int[] NONE = new int[0];

  /** A vertex's rank, or the share of rank that it is given. */
  double rank;

  /** Whether this is a vertex, not only a share. */
  boolean whole;

  /** Targets of a whole vertex. */
  int[] targets = NONE;

  /** Makes this a share. */
  Vertex share(double rank) {
    this.rank = rank;
    whole = false;
    targets = NONE;
    return this;
  }

  /** Makes this a vertex. */
  Vertex whole(double rank, int[] targets) {
    this.rank = rank;
    whole = true;
    this.targets = targets;
    return this;
  }

  @Override
  public void write(DataOutput out) throws IOException {
    out.writeDouble(rank);
    out.writeBoolean(whole);
    if (whole) {
      WritableUtils.writeVInt(out, targets.length);
      // Targets are in order: small differences take few bytes.
      int last = 0;
      for (int target : targets) {
        WritableUtils.writeVInt(out, target - last);
        last = target;
      }
    }
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    rank = in.readDouble();
    whole = in.readBoolean();
    targets = NONE;
    if (whole) {
      targets = new int[WritableUtils.readVInt(in)];
      int last = 0;
      for (int i = 0; i < targets.length; i++) {
        last += WritableUtils.readVInt(in);
        targets[i] = last;
      }
    }
  }
}
