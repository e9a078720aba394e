package kvasir.kmeans;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import kvasir.LocalJobs;
import kvasir.check.Clusters;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.SequenceFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KMeansTest {
  private static Path input(Path tmp, String centres, double[]... samples) throws Exception {
    Path folder = tmp.resolve("input");
    Files.createDirectories(folder.resolve("samples"));
    Files.write(folder.resolve("centres"), centres.getBytes(StandardCharsets.UTF_8));
    try (SequenceFile.Writer writer =
        SequenceFile.createWriter(
            LocalJobs.conf(tmp),
            SequenceFile.Writer.file(
                new org.apache.hadoop.fs.Path(folder.resolve("samples/part-0").toString())),
            SequenceFile.Writer.keyClass(LongWritable.class),
            SequenceFile.Writer.valueClass(Sample.class))) {
      for (int i = 0; i < samples.length; i++) {
        writer.append(new LongWritable(i), new Sample().set(samples[i]));
      }
    }
    return folder;
  }

  private static Path run(Path tmp, Path input, String name, int iterations, String... options)
      throws Exception {
    Path output = tmp.resolve(name);
    Object[] own = {
      iterations, 0.5, input.resolve("samples"), input.resolve("centres"), output,
    };
    Object[] all = Arrays.copyOf((Object[]) options, options.length + own.length, Object[].class);
    System.arraycopy(own, 0, all, options.length, own.length);
    LocalJobs.run(new KMeans(), tmp, all);
    return output;
  }

  private static String centres(Path output) throws Exception {
    return new String(Files.readAllBytes(output.resolve("centres")), StandardCharsets.UTF_8);
  }

  private static String checked(Path tmp, Path input, Path output, int iterations)
      throws Exception {
    return LocalJobs.printed(new Clusters(), tmp, input, output, iterations, 0.5);
  }

  /** What the check found, which must be what it computed. */
  private static String found(String json) {
    int at = json.indexOf(",\"expected\":");
    String found = json.substring(0, at) + "}";
    assertEquals(json.substring(at + ",\"expected\":".length(), json.length() - 1), found);
    return found;
  }

  @Test
  void centresMoveToTheMeansOfTheirSamples(@TempDir Path tmp) throws Exception {
    Path input =
        input(
            tmp,
            "0.0 1.0\n9.0 9.0\n-500.0 0.0\n",
            new double[] {0, 0},
            new double[] {1, 2},
            new double[] {10, 10},
            new double[] {12, 10.5});
    Path output = run(tmp, input, "output", 1);
    assertEquals("0.5 1.0\n11.0 10.25\n-500.0 0.0\n", centres(output), "the last has no sample");
    found(checked(tmp, input, output, 1));
    assertFalse(Files.exists(output.resolve("iteration-1")), "intermediate centres are removed");
  }

  @Test
  void outputsAgreeWithOneProcessWhateverTheTasks(@TempDir Path tmp) throws Exception {
    Path input = tmp.resolve("input");
    LocalJobs.run(new Generate(), tmp, 700, 5, 20, 10, 3, 3, input);
    Path output = run(tmp, input, "combined", 3, "-D", KMeans.EMIT_SAMPLES + "=true");
    String found = found(checked(tmp, input, output, 3));
    assertTrue(found.startsWith("{\"lines\":710,"), found);
    String split = "mapreduce.input.fileinputformat.split.maxsize=4000";
    Path other = run(tmp, input, "other", 3, "-D", split, "-D", "mapreduce.job.reduces=1");
    assertEquals(found, found(checked(tmp, input, other, 3)));
    assertEquals(centres(output), centres(other));
    String later = checked(tmp, input, run(tmp, input, "later", 1), 3);
    assertThrows(AssertionError.class, () -> found(later), "fewer iterations end elsewhere");
  }

  @Test
  void iterationsEndWhenNoCentreMoves(@TempDir Path tmp) throws Exception {
    Path input = input(tmp, "0.0\n10.0\n", new double[] {0}, new double[] {10.25});
    Path output = run(tmp, input, "output", 1000);
    assertEquals("0.0\n10.25\n", centres(output));
    found(checked(tmp, input, output, 1000));
  }

  @Test
  void samplesDependOnSeedAndNumberOnlyAndLieOnTheGrid() {
    double[] sample = new Samples(5, 20, 3).sample(7);
    assertArrayEquals(sample, new Samples(5, 20, 3).sample(7));
    assertNotEquals(sample[0], new Samples(5, 20, 4).sample(7)[0]);
    for (double value : sample) {
      assertEquals(Math.rint(value * Samples.GRID), value * Samples.GRID);
    }
  }

  @Test
  void centresAreReadAsTheyAreWritten() {
    String text = "0.1 -3.0E-7\n1.0 2.5\n";
    assertEquals(text, Centres.parse(text).toString());
    assertThrows(IllegalArgumentException.class, () -> Centres.parse("1 2\n3\n"));
  }
}
