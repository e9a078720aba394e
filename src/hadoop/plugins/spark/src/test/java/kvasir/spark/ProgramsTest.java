package kvasir.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import kvasir.Usage;
import kvasir.bayes.Documents;
import kvasir.bayes.Model;
import kvasir.kmeans.Sample;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All programs on a few local files, with two tasks at once, beside what a loop computes. */
class ProgramsTest {
  private static final Configuration CONF = new Configuration();
  private static JavaSparkContext spark;
  @TempDir Path folder;

  @BeforeAll
  static void start() {
    SparkConf conf =
        new SparkConf()
            .setMaster("local[2]")
            .setAppName("test")
            .set("spark.ui.enabled", "false")
            .set("spark.driver.host", "127.0.0.1")
            .set("spark.driver.bindAddress", "127.0.0.1")
            .set("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
            .set("spark.hadoop.mapreduce.job.reduces", "2");
    spark = new JavaSparkContext(conf);
  }

  @AfterAll
  static void stop() {
    spark.close();
  }

  private String in(String name) {
    return folder.resolve(name).toString();
  }

  private static SequenceFile.Writer writer(Path file, Class<?> key, Class<?> value)
      throws IOException {
    return SequenceFile.createWriter(
        CONF,
        SequenceFile.Writer.file(new org.apache.hadoop.fs.Path(file.toUri())),
        SequenceFile.Writer.keyClass(key),
        SequenceFile.Writer.valueClass(value));
  }

  /** Two files of texts; keys are not in order. */
  private List<String[]> texts() throws IOException {
    SplittableRandom random = new SplittableRandom(7);
    List<String[]> records = new ArrayList<>();
    for (int part = 0; part < 2; part++) {
      try (SequenceFile.Writer out =
          writer(folder.resolve("texts/part-" + part), Text.class, Text.class)) {
        for (int i = 0; i < 200; i++) {
          String key = "k" + random.nextInt(1000);
          String value = "kindness w" + random.nextInt(50) + " w" + random.nextInt(9) + "ness";
          records.add(new String[] {key, value});
          out.append(new Text(key), new Text(value));
        }
      }
    }
    return records;
  }

  private List<Path> parts(String output) throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve(output))) {
      return files.filter(f -> f.getFileName().toString().startsWith("part-")).sorted().toList();
    }
  }

  private Map<String, String> lines(String output) throws IOException {
    Map<String, String> found = new TreeMap<>();
    for (Path part : parts(output)) {
      for (String line : Files.readAllLines(part)) {
        int tab = line.lastIndexOf('\t');
        found.put(line.substring(0, tab), line.substring(tab + 1));
      }
    }
    return found;
  }

  @Test
  void wordsAreCounted() throws IOException {
    Map<String, String> expected = new TreeMap<>();
    for (String[] record : texts()) {
      for (String word : record[1].split(" ")) {
        expected.merge(word, "1", (a, b) -> "" + (Integer.parseInt(a) + 1));
      }
    }
    WordCount.work(spark, new String[] {in("texts"), in("words")});
    assertEquals(expected, lines("words"));
    assertEquals(2, parts("words").size());
  }

  @Test
  void matchesAreInFallingOrder() throws IOException {
    texts();
    Grep.work(spark, new String[] {in("texts"), in("matches"), "[a-z]*ness"});
    List<String> found = Files.readAllLines(parts("matches").get(0));
    assertEquals(1, parts("matches").size());
    assertEquals(List.of("400\tkindness", "400\tness"), found.stream().sorted().toList());
  }

  @Test
  void recordsAreSortedWhereTheirHashesSay() throws IOException {
    List<String> expected = new ArrayList<>();
    texts().forEach(record -> expected.add(record[0] + " " + record[1]));
    Sort.work(spark, new String[] {in("texts"), in("sorted")});
    List<String> found = new ArrayList<>();
    List<Path> parts = parts("sorted");
    assertEquals(2, parts.size());
    for (int part = 0; part < 2; part++) {
      Text last = new Text();
      Text key = new Text();
      Text value = new Text();
      try (SequenceFile.Reader in = reader(parts.get(part))) {
        while (in.next(key, value)) {
          assertTrue(key.compareTo(last) >= 0);
          assertEquals(part, (key.hashCode() & Integer.MAX_VALUE) % 2);
          last.set(key);
          found.add(key + " " + value);
        }
      }
    }
    assertEquals(expected.stream().sorted().toList(), found.stream().sorted().toList());
  }

  private static SequenceFile.Reader reader(Path file) throws IOException {
    return new SequenceFile.Reader(
        CONF, SequenceFile.Reader.file(new org.apache.hadoop.fs.Path(file.toUri())));
  }

  @Test
  void rowsAreInOrderOverAllFiles() throws IOException {
    SplittableRandom random = new SplittableRandom(3);
    List<String> expected = new ArrayList<>();
    Files.createDirectories(folder.resolve("rows"));
    for (int part = 0; part < 2; part++) {
      byte[] rows = new byte[100 * 300];
      // Bytes above 127 are greater than all others.
      random.nextBytes(rows);
      Files.write(folder.resolve("rows/part-" + part), rows);
      for (int i = 0; i < rows.length; i += 100) {
        expected.add(new String(rows, i, 100, StandardCharsets.ISO_8859_1));
      }
    }
    TeraSort.work(spark, new String[] {in("rows"), in("ordered")});
    StringBuilder found = new StringBuilder();
    List<Path> parts = parts("ordered");
    assertEquals(2, parts.size());
    for (Path part : parts) {
      assertTrue(Files.size(part) > 100 * 200, "ranges are of about one size");
      found.append(Files.readString(part, StandardCharsets.ISO_8859_1));
    }
    assertEquals(String.join("", expected.stream().sorted().toList()), found.toString());
  }

  @Test
  void ranksAreThoseOfALoop() throws IOException {
    int[][] edges = {{1, 2}, {1, 3}, {2, 3}, {3, 1}, {3, 4}, {5, 1}, {1, 3}};
    StringBuilder text = new StringBuilder();
    for (int[] edge : edges) {
      text.append(edge[0]).append('\t').append(edge[1]).append('\n');
    }
    Files.createDirectories(folder.resolve("edges"));
    Files.writeString(folder.resolve("edges/part-0"), text);
    PageRank.work(spark, new String[] {"3", in("edges"), in("ranks")});
    double[] ranks = new double[6];
    Arrays.fill(ranks, 1, 6, 1.0 / 5);
    for (int i = 0; i < 3; i++) {
      double[] next = new double[6];
      // Vertex 4 has no targets.
      Arrays.fill(next, 1, 6, (0.15 + 0.85 * ranks[4]) / 5);
      for (int[] edge : edges) {
        next[edge[1]] += 0.85 * ranks[edge[0]] / new int[] {0, 3, 1, 2, 0, 1}[edge[0]];
      }
      ranks = next;
    }
    Map<String, String> found = lines("ranks");
    assertEquals(5, found.size());
    for (int vertex = 1; vertex < 6; vertex++) {
      assertEquals(ranks[vertex], Double.parseDouble(found.get("" + vertex)), 1e-12);
    }
  }

  @Test
  void aLineThatIsNoEdgeIsRefused() throws IOException {
    Files.createDirectories(folder.resolve("edges"));
    Files.writeString(folder.resolve("edges/part-0"), "1 2\n");
    Exception e =
        assertThrows(
            Exception.class,
            () -> PageRank.work(spark, new String[] {"1", in("edges"), in("ranks")}));
    assertTrue(e.getMessage().contains("no edge: 1 2"), e.getMessage());
  }

  @Test
  void labelsAreThoseOfOneProcess() throws IOException {
    Documents documents = new Documents(3, 40, 12, 5);
    Model model = new Model();
    Map<String, Integer> expected = new HashMap<>();
    StringBuilder train = new StringBuilder();
    StringBuilder test = new StringBuilder();
    for (int i = 0; i < 120; i++) {
      String line = documents.line(i);
      (i < 100 ? train : test).append(line).append('\n');
      if (i < 100) {
        model.addLine(line);
      }
    }
    model.finish();
    for (String line : test.toString().split("\n")) {
      String[] fields = line.split("\t");
      expected.merge(fields[0] + "\t" + model.label(fields[1]), 1, Integer::sum);
    }
    Files.createDirectories(folder.resolve("train"));
    Files.writeString(folder.resolve("train/part-0"), train);
    Files.createDirectories(folder.resolve("test"));
    Files.writeString(folder.resolve("test/part-0"), test);
    Bayes.work(spark, new String[] {in("train"), in("test"), in("bayes")});
    Map<String, Integer> found = new HashMap<>();
    lines("bayes/labels").forEach((pair, count) -> found.put(pair, Integer.parseInt(count)));
    assertEquals(expected, found);
    assertTrue(lines("bayes/model").containsKey("c0\t"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void centresAreThoseOfALoop(boolean emit) throws IOException {
    spark.hadoopConfiguration().setBoolean("kvasir.kmeans.emit-samples", emit);
    double[][] samples = {{0, 1}, {1, 0}, {8, 8}, {9, 9}, {1, 1}, {8.5, 8.5}};
    for (int part = 0; part < 2; part++) {
      try (SequenceFile.Writer out =
          writer(folder.resolve("samples/part-" + part), LongWritable.class, Sample.class)) {
        for (int i = 3 * part; i < 3 * part + 3; i++) {
          out.append(new LongWritable(i), new Sample().set(samples[i]));
        }
      }
    }
    // No sample is near the last one: it stays.
    Files.writeString(folder.resolve("centres"), "0.0 0.0\n9.0 8.0\n-50.0 -50.0\n");
    KMeans.work(spark, new String[] {"5", "0.01", in("samples"), in("centres"), in("kmeans")});
    List<String> centres = Files.readAllLines(folder.resolve("kmeans/centres"));
    assertEquals("8.5 8.5", centres.get(1));
    assertEquals("-50.0 -50.0", centres.get(2));
    Map<String, Integer> found = new TreeMap<>();
    for (Path part : parts("kmeans/clusters")) {
      try (SequenceFile.Reader in = reader(part)) {
        Writable cluster = new IntWritable();
        Sample sample = new Sample();
        while (in.next(cluster, sample)) {
          found.put(Arrays.toString(sample.values()), ((IntWritable) cluster).get());
        }
      }
    }
    assertEquals(samples.length, found.size());
    for (int i = 0; i < samples.length; i++) {
      assertEquals(samples[i][0] < 5 ? 0 : 1, found.get(Arrays.toString(samples[i])));
    }
  }

  @Test
  void hostsAreCalledByTheirNames() {
    assertEquals("n1", Inputs.name("n1"));
    // Only what is an address is looked up.
    assertEquals("10.1.2", Inputs.name("10.1.2"));
  }

  @Test
  void aProgramSaysHowItIsCalled() {
    Exception e = assertThrows(Usage.Wrong.class, () -> Sort.main(new String[] {"one"}));
    assertTrue(e.getMessage().contains("INPUT OUTPUT"), e.getMessage());
  }
}
