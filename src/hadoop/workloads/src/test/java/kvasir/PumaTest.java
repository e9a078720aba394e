package kvasir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import kvasir.check.Expected;
import kvasir.check.Lines;
import kvasir.graph.AdjacencyList;
import kvasir.sets.SelfJoin;
import kvasir.text.InvertedIndex;
import kvasir.text.RankedInvertedIndex;
import kvasir.text.SequenceCount;
import org.apache.hadoop.util.Tool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jobs of PUMA: examples that can be checked by eye, and random inputs against one process. */
class PumaTest {
  private static Path folder(Path folder, String... files) throws Exception {
    Files.createDirectories(folder);
    for (int i = 0; i < files.length; i++) {
      Files.write(folder.resolve("part-" + i), files[i].getBytes(StandardCharsets.UTF_8));
    }
    return folder;
  }

  private static List<String> result(Tool tool, Path tmp, String... files) throws Exception {
    Path output = tmp.resolve("output");
    LocalJobs.run(tool, tmp, folder(tmp.resolve("input"), files), output);
    List<String> lines = LocalJobs.lines(output);
    Collections.sort(lines);
    return lines;
  }

  @Test
  void adjacencyListGroupsEdgesBothWays(@TempDir Path tmp) throws Exception {
    assertEquals(
        Arrays.asList("1\t3\t2,3", "2\t1\t", "3\t1,3\t1,3"),
        result(new AdjacencyList(), tmp, "1\t3\n3\t1\n1\t2\n", "1\t2\n3\t3\n"));
  }

  @Test
  void selfJoinMakesCandidatesOfSetsThatShareAllButTheLast(@TempDir Path tmp) throws Exception {
    assertEquals(
        Arrays.asList("a,b\tc,d", "a,b\tc,e", "a,b\td,e", "a,c\td,e"),
        result(
            new SelfJoin(), tmp, "a,b,c\na,c,e\nb,c,d\n", "a,b,e\na,b,d\na,b,e\na,c,d\na,b,c\n"));
  }

  @Test
  void invertedIndexNamesTheFilesOfAWord(@TempDir Path tmp) throws Exception {
    assertEquals(
        Arrays.asList("be\tpart-0 part-1", "or\tpart-0", "to\tpart-0 part-1"),
        result(new InvertedIndex(), tmp, "to be or\n\nto be\n", "  be to \n"));
  }

  @Test
  void sequencesLieWithinALine(@TempDir Path tmp) throws Exception {
    assertEquals(
        Arrays.asList("a|a|a|part-0\t2", "a|a|a|part-1\t1", "a|a|b|part-0\t1"),
        result(new SequenceCount(), tmp, "a a a a b\n", "a a a\nb b\n\na\n"));
  }

  @Test
  void rankedIndexHasTheHighestCountFirst(@TempDir Path tmp) throws Exception {
    assertEquals(
        Arrays.asList("a|b|c\tg:10 e:2 f:2 d:1", "b|c|d\td:3"),
        result(
            new RankedInvertedIndex(),
            tmp,
            "a|b|c|f\t2\na|b|c|d\t1\nb|c|d|d\t3\n",
            "a|b|c|g\t10\na|b|c|e\t2\n"));
  }

  @Test
  void foreignInputsAreRefused(@TempDir Path tmp) throws Exception {
    List<Tool> jobs = Arrays.asList(new AdjacencyList(), new SelfJoin(), new RankedInvertedIndex());
    for (int i = 0; i < jobs.size(); i++) {
      Tool job = jobs.get(i);
      Path own = tmp.resolve("job" + i);
      assertThrows(
          AssertionError.class, () -> result(job, own, "neither edge nor set nor count\n"));
    }
  }

  /** Files of random lines. */
  private static String[] files(Random random, Function<Random, String> line) {
    String[] files = new String[1 + random.nextInt(4)];
    for (int i = 0; i < files.length; i++) {
      List<String> lines = new ArrayList<>();
      for (int n = random.nextInt(60); n > 0; n--) {
        lines.add(line.apply(random) + "\n");
      }
      files[i] = String.join("", lines);
    }
    return files;
  }

  private static String words(Random random) {
    int different = 1 + random.nextInt(6);
    return random
        .ints(random.nextInt(9), 0, different)
        .mapToObj(i -> "w" + i)
        .collect(Collectors.joining(" "));
  }

  private static String set(Random random) {
    return random
        .ints(0, 6)
        .distinct()
        .limit(3)
        .sorted()
        .mapToObj(String::valueOf)
        .collect(Collectors.joining(","));
  }

  private static String edge(Random random) {
    return random.nextInt(12) + "\t" + random.nextInt(12);
  }

  /** Runs a job twice with other splits and reduce tasks; both times it must write the same. */
  private static void compare(
      Tool job, String name, String keys, Path tmp, Path reference, Path input, Random random)
      throws Exception {
    String expected = LocalJobs.printed(new Expected(), tmp, name, reference);
    for (int i = 0; i < 2; i++) {
      Path output = tmp.resolve(name + i);
      String reduces = "mapreduce.job.reduces=" + (1 + random.nextInt(4));
      String split = "mapreduce.input.fileinputformat.split.maxsize=" + (20 + random.nextInt(400));
      LocalJobs.run(job, tmp, "-D", reduces, "-D", split, input, output);
      String found = LocalJobs.printed(new Lines(), tmp, output, keys);
      assertEquals(expected.replace("}", ",\"disorder\":0}"), found, name + " " + reduces);
    }
  }

  @Test
  void randomTextsAgreeWithOneProcess(@TempDir Path tmp) throws Exception {
    for (int seed = 1; seed <= 3; seed++) {
      Random random = new Random(seed);
      Path own = tmp.resolve("seed" + seed);
      Path text = folder(own.resolve("input"), files(random, PumaTest::words));
      compare(new InvertedIndex(), "inverted-index", "texts", own, text, text, random);
      compare(new SequenceCount(), "sequence-count", "texts", own, text, text, random);
      Path counts = own.resolve("sequence-count0");
      compare(
          new RankedInvertedIndex(), "ranked-inverted-index", "texts", own, text, counts, random);
    }
  }

  @Test
  void randomSetsAndGraphsAgreeWithOneProcess(@TempDir Path tmp) throws Exception {
    for (int seed = 1; seed <= 3; seed++) {
      Random random = new Random(seed);
      Path own = tmp.resolve("seed" + seed);
      Path sets = folder(own.resolve("sets"), files(random, PumaTest::set));
      compare(new SelfJoin(), "self-join", "texts", own, sets, sets, random);
      Path edges = folder(own.resolve("edges"), files(random, PumaTest::edge));
      compare(new AdjacencyList(), "adjacency-list", "numbers", own, edges, edges, random);
    }
  }

  @Test
  void wrongAndDisorderedLinesAreSeen(@TempDir Path tmp) throws Exception {
    Path lines = folder(tmp.resolve("a"), "10\tx\n9\ty\n", "9\tx\n");
    Path others = folder(tmp.resolve("b"), "9\tx\n", "9\ty\n10\tx\n");
    Path wrong = folder(tmp.resolve("c"), "9\tx\n9\tx\n10\ty\n");
    String a = LocalJobs.printed(new Lines(), tmp, lines, "numbers");
    assertTrue(a.startsWith("{\"lines\":3,") && a.endsWith("\"disorder\":1}"), a);
    assertEquals(
        a.replace("\"disorder\":1", "\"disorder\":0"),
        LocalJobs.printed(new Lines(), tmp, lines, "texts"));
    assertEquals(
        a.replace("\"disorder\":1", "\"disorder\":0"),
        LocalJobs.printed(new Lines(), tmp, others, "numbers"));
    String c = LocalJobs.printed(new Lines(), tmp, wrong, "numbers");
    assertTrue(c.endsWith("\"disorder\":0}"), c);
    assertTrue(!a.split(",")[1].equals(c.split(",")[1]), "checksums " + a + c);
  }

  @Test
  void generatorsMakeTheSameWhateverTheTasks(@TempDir Path tmp) throws Exception {
    for (int maps : new int[] {1, 3}) {
      Path sets = tmp.resolve("sets" + maps);
      LocalJobs.run(new kvasir.sets.Generate(), tmp, 300, 5, 7, maps, sets);
    }
    List<String> sets = LocalJobs.lines(tmp.resolve("sets1"));
    assertEquals(sets, LocalJobs.lines(tmp.resolve("sets3")));
    assertEquals(300, sets.size());
    for (String set : sets) {
      List<String> items = Arrays.asList(set.split(","));
      assertEquals(items.stream().sorted().distinct().collect(Collectors.toList()), items);
      assertTrue(items.size() == 5 && items.stream().allMatch(i -> i.matches("\\d{6}")), set);
    }
    assertTrue(sets.stream().distinct().count() < 300, "the combiner has something to drop");

    Path text = tmp.resolve("text");
    LocalJobs.run(new kvasir.text.Generate(), tmp, 3, 2000, 50, 10, 7, text);
    for (int i = 0; i < 3; i++) {
      long size = Files.size(text.resolve("part-m-0000" + i));
      assertTrue(size >= 2000 && size < 2100, "bytes: " + size);
    }
    assertEquals(
        new kvasir.text.Lines(50, 10, 7).line(2, 0),
        Files.readAllLines(text.resolve("part-m-00002")).get(0));
  }
}
