package kvasir.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import kvasir.LocalJobs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KroneckerTest {
  @Test
  void expectedEdgesAreThePowerOfTheInitiatorsSum() {
    assertEquals(214_271, new Kronecker(16, 1).edges(), 1);
    assertEquals(5, new Kronecker(2, 1).edges());
  }

  @Test
  void quadrantsHaveTheInitiatorsShares() {
    Kronecker graph = new Kronecker(1, 5);
    int n = 200_000;
    int[] seen = new int[4];
    for (int i = 0; i < n; i++) {
      long edge = graph.edge(i);
      seen[(int) (edge >>> 32) * 2 + (int) edge]++;
    }
    for (int i = 0; i < 4; i++) {
      double p = Kronecker.GOOGLE[i] / 2.1537;
      double sigma = Math.sqrt(p * (1 - p) / n);
      assertEquals(p, (double) seen[i] / n, 5 * sigma);
    }
  }

  @Test
  void anEdgeDependsOnSeedAndNumberOnly() {
    assertEquals(new Kronecker(20, 3).edge(77), new Kronecker(20, 3).edge(77));
    assertNotEquals(new Kronecker(20, 3).edge(77), new Kronecker(20, 4).edge(77));
  }

  @Test
  void jobWritesEachEdgeOnceWhateverTheTasks(@TempDir Path tmp) throws Exception {
    LocalJobs.run(new Generate(), tmp, 9, 42, 1, tmp.resolve("one"));
    LocalJobs.run(new Generate(), tmp, 9, 42, 5, tmp.resolve("five"));
    List<String> edges = LocalJobs.lines(tmp.resolve("one"));
    assertEquals(edges, LocalJobs.lines(tmp.resolve("five")));
    Set<String> expected = new HashSet<>();
    Kronecker graph = new Kronecker(9, 42);
    for (long i = 0; i < graph.edges(); i++) {
      long edge = graph.edge(i);
      expected.add((edge >>> 32) + "\t" + (int) edge);
    }
    assertEquals(expected, new HashSet<>(edges));
    assertEquals(expected.size(), edges.size());
    assertTrue(expected.size() > 500);
  }
}
