package kvasir.graph;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableUtils;

/** What travels between the tasks of AdjacencyList: some of a vertex's sources and targets. */
public final class Neighbours implements Writable {
  private static final int[] NONE = new int[0];

  /** Vertices with an edge to this one. */
  int[] sources = NONE;

  /** Vertices that this one has an edge to. */
  int[] targets = NONE;

  @Override
  public void write(DataOutput out) throws IOException {
    write(sources, out);
    write(targets, out);
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    sources = read(in);
    targets = read(in);
  }

  private static void write(int[] vertices, DataOutput out) throws IOException {
    WritableUtils.writeVInt(out, vertices.length);
    for (int vertex : vertices) {
      WritableUtils.writeVInt(out, vertex);
    }
  }

  private static int[] read(DataInput in) throws IOException {
    int length = WritableUtils.readVInt(in);
    int[] vertices = length == 0 ? NONE : new int[length];
    for (int i = 0; i < length; i++) {
      vertices[i] = WritableUtils.readVInt(in);
    }
    return vertices;
  }

  /** Lines of the output: {@code source,source,... TAB target,target,...}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    list(sources, text);
    list(targets, text.append('\t'));
    return text.toString();
  }

  private static void list(int[] vertices, StringBuilder text) {
    for (int i = 0; i < vertices.length; i++) {
      text.append(i == 0 ? "" : ",").append(vertices[i]);
    }
  }
}
