package kvasir.check;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import kvasir.Usage;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Looks at the output of PageRank: number of vertices and sum of their ranks; of a graph with at
 * most a given number of edges also the greatest relative difference from ranks that are computed
 * here in one process, otherwise that is null.
 */
public final class Ranks extends Configured implements Tool {
  private static final double DAMPING = 0.85;
  private final Map<Integer, Integer> index = new HashMap<>();
  private int[] sources = new int[1024];
  private int[] targets = new int[1024];
  private int edges;
  private boolean tooMany;

  @Override
  public int run(String[] arguments) throws Exception {
    Usage.expect(arguments, "EDGES", "RANKS", "ITERATIONS", "MOST-EDGES");
    int iterations = (int) Usage.number("ITERATIONS", arguments[2], 1, 10_000);
    int most = (int) Usage.number("MOST-EDGES", arguments[3], 0, 500_000_000);
    if (most > 0) {
      Parts.lines(new Path(arguments[0]), getConf(), line -> edge(line, most));
    }
    boolean compare = most > 0 && !tooMany;
    double[] expected = compare ? ranks(iterations) : new double[0];
    double[] result = new double[3];
    Parts.lines(
        new Path(arguments[1]),
        getConf(),
        line -> {
          int tab = line.indexOf('\t');
          double rank = Double.parseDouble(line.substring(tab + 1));
          result[0] += 1;
          result[1] += rank;
          if (compare) {
            Integer vertex = index.get(Integer.valueOf(line.substring(0, tab)));
            double wanted = vertex == null ? 0 : expected[vertex];
            result[2] = Math.max(result[2], Math.abs(rank - wanted) / Math.max(wanted, 1e-300));
          }
        });
    if (compare && (long) result[0] != index.size()) {
      result[2] = 1;
    }
    System.out.println(
        new Json()
            .put("vertices", (long) result[0])
            .put("sum", result[1])
            .put("difference", compare ? (Object) result[2] : "null"));
    return 0;
  }

  private void edge(String line, int most) {
    if (edges == most) {
      tooMany = true;
      return;
    }
    if (edges == sources.length) {
      sources = Arrays.copyOf(sources, edges * 2);
      targets = Arrays.copyOf(targets, edges * 2);
    }
    int tab = line.indexOf('\t');
    sources[edges] = vertex(Integer.valueOf(line.substring(0, tab)));
    targets[edges++] = vertex(Integer.valueOf(line.substring(tab + 1)));
  }

  private int vertex(Integer name) {
    Integer known = index.putIfAbsent(name, index.size());
    return known == null ? index.size() - 1 : known;
  }

  private double[] ranks(int iterations) {
    int vertices = index.size();
    int[] degree = new int[vertices];
    for (int i = 0; i < edges; i++) {
      degree[sources[i]]++;
    }
    double[] rank = new double[vertices];
    Arrays.fill(rank, 1.0 / vertices);
    for (int iteration = 0; iteration < iterations; iteration++) {
      double[] next = new double[vertices];
      for (int i = 0; i < edges; i++) {
        next[targets[i]] += rank[sources[i]] / degree[sources[i]];
      }
      double dangling = 0;
      for (int v = 0; v < vertices; v++) {
        dangling += degree[v] == 0 ? rank[v] : 0;
      }
      for (int v = 0; v < vertices; v++) {
        next[v] = (1 - DAMPING + DAMPING * dangling) / vertices + DAMPING * next[v];
      }
      rank = next;
    }
    return rank;
  }

  /** Prints what it found. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Ranks(), arguments));
  }
}
