package kvasir.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import kvasir.LocalJobs;
import kvasir.check.Ranks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageRankTest {
  /** The definition with a dense matrix: column j holds where vertex j's rank goes. */
  private static Map<Integer, Double> dense(List<String> edges, int iterations) {
    TreeSet<Integer> names = new TreeSet<>();
    edges.forEach(e -> Arrays.stream(e.split("\t")).map(Integer::valueOf).forEach(names::add));
    List<Integer> order = names.stream().collect(Collectors.toList());
    int n = order.size();
    double[][] matrix = new double[n][n];
    for (String edge : edges) {
      String[] ends = edge.split("\t");
      matrix[order.indexOf(Integer.valueOf(ends[1]))][order.indexOf(Integer.valueOf(ends[0]))] = 1;
    }
    for (int j = 0; j < n; j++) {
      double degree = 0;
      for (int i = 0; i < n; i++) {
        degree += matrix[i][j];
      }
      for (int i = 0; i < n; i++) {
        double follow = degree == 0 ? 1.0 / n : matrix[i][j] / degree;
        matrix[i][j] = 0.15 / n + 0.85 * follow;
      }
    }
    double[] rank = new double[n];
    Arrays.fill(rank, 1.0 / n);
    for (int k = 0; k < iterations; k++) {
      double[] next = new double[n];
      for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
          next[i] += matrix[i][j] * rank[j];
        }
      }
      rank = next;
    }
    Map<Integer, Double> result = new TreeMap<>();
    for (int i = 0; i < n; i++) {
      result.put(order.get(i), rank[i]);
    }
    return result;
  }

  private static void compare(Path tmp, Path edges, int iterations) throws Exception {
    Path output = tmp.resolve("ranks");
    LocalJobs.run(new PageRank(), tmp, iterations, edges, output);
    Map<Integer, Double> found = new TreeMap<>();
    for (String line : LocalJobs.lines(output)) {
      String[] fields = line.split("\t");
      assertEquals(null, found.put(Integer.valueOf(fields[0]), Double.valueOf(fields[1])));
    }
    Map<Integer, Double> expected = dense(LocalJobs.lines(edges), iterations);
    assertEquals(expected.keySet(), found.keySet());
    double sum = 0;
    for (Map.Entry<Integer, Double> entry : expected.entrySet()) {
      assertEquals(entry.getValue(), found.get(entry.getKey()), 1e-12);
      sum += found.get(entry.getKey());
    }
    assertEquals(1, sum, 1e-12);
    assertFalse(Files.exists(tmp.resolve("ranks.work")), "intermediate ranks are removed");
  }

  private static Path edges(Path tmp, String... lines) throws Exception {
    Path folder = Files.createDirectories(tmp.resolve("edges"));
    Files.write(folder.resolve("part-r-00000"), Arrays.asList(lines), StandardCharsets.UTF_8);
    return folder;
  }

  @Test
  void kroneckerGraph(@TempDir Path tmp) throws Exception {
    LocalJobs.run(new Generate(), tmp, 8, 7, 3, tmp.resolve("edges"));
    compare(tmp, tmp.resolve("edges"), 4);
  }

  @Test
  void oneIteration(@TempDir Path tmp) throws Exception {
    compare(tmp, edges(tmp, "0\t1", "1\t2", "2\t0", "0\t2"), 1);
  }

  @Test
  void sinksAndLoopsKeepTheSum(@TempDir Path tmp) throws Exception {
    compare(tmp, edges(tmp, "5\t9", "5\t5", "7\t9", "0\t7"), 6);
  }

  @Test
  void checkAgreesAndSeesWrongRanks(@TempDir Path tmp) throws Exception {
    Path edges = edges(tmp, "5\t9", "5\t5", "7\t9", "0\t7");
    Path ranks = tmp.resolve("ranks");
    LocalJobs.run(new PageRank(), tmp, 3, edges, ranks);
    String right = LocalJobs.printed(new Ranks(), tmp, edges, ranks, 3, 100);
    assertTrue(
        right.matches("\\{\"vertices\":4,\"sum\":(1\\.0|0\\.9{9,}\\d*|1\\.0{9,}\\d*),.*"), right);
    assertTrue(difference(right) < 1e-12, right);
    assertTrue(difference(LocalJobs.printed(new Ranks(), tmp, edges, ranks, 4, 100)) > 1e-4);
    String unseen = LocalJobs.printed(new Ranks(), tmp, edges, ranks, 3, 3);
    assertTrue(unseen.endsWith("\"difference\":null}"), unseen);
  }

  private static double difference(String json) {
    return Double.parseDouble(json.replaceAll(".*\"difference\":|\\}", ""));
  }
}
