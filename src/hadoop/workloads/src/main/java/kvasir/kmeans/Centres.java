package kvasir.kmeans;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** The centres of clusters, as text: a line each, with a blank between coordinates. */
public final class Centres {
  private final double[][] values;

  /** Centres with these coordinates. */
  public Centres(double[][] values) {
    this.values = values;
  }

  /** Number of centres. */
  public int size() {
    return values.length;
  }

  /** The coordinates of a centre. */
  double[] get(int i) {
    return values[i];
  }

  /** The centre nearest to a sample; of equally near ones the first. */
  public int nearest(double[] sample) {
    int best = 0;
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < values.length; i++) {
      double distance = distance(values[i], sample);
      if (distance < least) {
        least = distance;
        best = i;
      }
    }
    return best;
  }

  /** The square of the distance between two places. */
  private static double distance(double[] a, double[] b) {
    double sum = 0;
    for (int d = 0; d < a.length; d++) {
      sum += (a[d] - b[d]) * (a[d] - b[d]);
    }
    return sum;
  }

  /** The farthest that one of these centres is from the one of the same number. */
  public double moved(Centres others) {
    double most = 0;
    for (int i = 0; i < values.length; i++) {
      most = Math.max(most, Math.sqrt(distance(values[i], others.values[i])));
    }
    return most;
  }

  /** Reads centres from a file. */
  public static Centres read(Path file, Configuration conf) throws IOException {
    StringBuilder text = new StringBuilder();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(file.getFileSystem(conf).open(file), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        text.append(line).append('\n');
      }
    }
    return parse(text.toString());
  }

  /** Writes them to a file. */
  public void write(Path file, Configuration conf) throws IOException {
    FileSystem files = file.getFileSystem(conf);
    try (Writer out = new OutputStreamWriter(files.create(file), StandardCharsets.UTF_8)) {
      out.write(toString());
    }
  }

  /**
   * Reads centres from text.
   *
   * @throws IllegalArgumentException when it holds none, or they have different dimensions
   */
  public static Centres parse(String text) {
    List<double[]> found = new ArrayList<>();
    for (String line : text.split("\n")) {
      String[] fields = line.split(" ");
      double[] values = new double[fields.length];
      for (int d = 0; d < values.length; d++) {
        values[d] = Double.parseDouble(fields[d]);
      }
      if (!found.isEmpty() && found.get(0).length != values.length) {
        throw new IllegalArgumentException(
            "expected " + found.get(0).length + " coordinates of each centre: " + line);
      }
      found.add(values);
    }
    return new Centres(found.toArray(new double[0][]));
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (double[] centre : values) {
      for (int d = 0; d < centre.length; d++) {
        // Java's text of a number gives the same number again.
        text.append(d == 0 ? "" : " ").append(centre[d]);
      }
      text.append('\n');
    }
    return text.toString();
  }
}
