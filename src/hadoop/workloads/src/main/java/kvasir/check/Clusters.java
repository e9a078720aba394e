package kvasir.check;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import kvasir.Usage;
import kvasir.kmeans.Sample;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Looks at the output of k-means: number of samples in clusters, a checksum of all samples with
 * their clusters and of the centres. With ITERATIONS above 0 it computes the same in one process,
 * as {@code expected}; otherwise that is null.
 */
public final class Clusters extends Configured implements Tool {
  @Override
  public int run(String[] arguments) throws Exception {
    Usage.expect(arguments, "INPUT", "OUTPUT", "ITERATIONS", "DISTANCE");
    Path input = new Path(arguments[0]);
    Path output = new Path(arguments[1]);
    int iterations = (int) Usage.number("ITERATIONS", arguments[2], 0, 10_000);
    double distance = Usage.decimal("DISTANCE", arguments[3]);
    Checksum found = new Checksum();
    Parts.read(new Path(output, "centres"), getConf(), found::add);
    IntWritable cluster = new IntWritable();
    samples(
        new Path(output, "clusters"),
        () -> cluster,
        (key, sample) -> found.add(cluster.get() + Arrays.toString(sample)));
    Object expected = iterations == 0 ? "null" : expected(input, iterations, distance).json();
    System.out.println(found.json().put("expected", expected));
    return 0;
  }

  private Checksum expected(Path input, int iterations, double distance) throws IOException {
    Path samples = new Path(input, "samples");
    double[][] centres = start(new Path(input, "centres"));
    for (int i = 0; i < iterations; i++) {
      double[][] sums = new double[centres.length][centres[0].length];
      long[] counts = new long[centres.length];
      double[][] before = centres;
      // The generator's coordinates are so coarse that sums of doubles are exact.
      samples(
          samples,
          LongWritable::new,
          (key, sample) -> {
            int nearest = nearest(before, sample);
            counts[nearest]++;
            for (int d = 0; d < sample.length; d++) {
              sums[nearest][d] += sample[d];
            }
          });
      double most = 0;
      for (int c = 0; c < sums.length; c++) {
        double moved = 0;
        for (int d = 0; d < sums[c].length; d++) {
          sums[c][d] = counts[c] == 0 ? before[c][d] : sums[c][d] / counts[c];
          moved += Math.pow(sums[c][d] - before[c][d], 2);
        }
        most = Math.max(most, Math.sqrt(moved));
      }
      centres = sums;
      if (most <= distance) {
        break;
      }
    }
    Checksum expected = new Checksum();
    for (double[] centre : centres) {
      expected.add(Arrays.toString(centre).replaceAll("[\\[\\],]", ""));
    }
    double[][] last = centres;
    samples(
        samples,
        LongWritable::new,
        (key, sample) -> expected.add(nearest(last, sample) + Arrays.toString(sample)));
    return expected;
  }

  private double[][] start(Path file) throws IOException {
    List<double[]> found = new ArrayList<>();
    Parts.read(
        file,
        getConf(),
        line ->
            found.add(Arrays.stream(line.split(" ")).mapToDouble(Double::parseDouble).toArray()));
    return found.toArray(new double[0][]);
  }

  private static int nearest(double[][] centres, double[] sample) {
    int best = 0;
    double least = Double.MAX_VALUE;
    for (int c = 0; c < centres.length; c++) {
      double square = 0;
      for (int d = 0; d < sample.length; d++) {
        double difference = centres[c][d] - sample[d];
        square += difference * difference;
      }
      if (square < least) {
        least = square;
        best = c;
      }
    }
    return best;
  }

  private <K extends Writable> void samples(
      Path folder, Supplier<K> keys, BiConsumer<K, double[]> take) throws IOException {
    for (Path part : Parts.of(folder, getConf())) {
      try (SequenceFile.Reader reader =
          new SequenceFile.Reader(getConf(), SequenceFile.Reader.file(part))) {
        K key = keys.get();
        Sample sample = new Sample();
        while (reader.next(key, sample)) {
          take.accept(key, sample.values());
        }
      }
    }
  }

  /** Prints what it found. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Clusters(), arguments));
  }
}
