package kvasir.spark;

import java.io.IOException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import kvasir.Usage;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.LongAccumulator;
import scala.Tuple2;

/**
 * PageRank of a graph given as lines {@code source TAB target}, as our jobs for Hadoop compute it:
 * damping is 0.85, the rank of vertices without targets is spread over all. The vertices with their
 * targets stay where they are, in memory as far as it goes. The output is lines {@code vertex TAB
 * rank}.
 */
public final class PageRank {
  private static final double DAMPING = 0.85;
  private static final int[] NONE = {};

  private PageRank() {}

  static void work(JavaSparkContext spark, String[] arguments) throws IOException {
    int iterations = (int) Usage.number("ITERATIONS", arguments[0], 1, 10_000);
    HashPartitioner parts = new HashPartitioner(Program.reduces(spark));

    Program.name(spark, "pagerank: targets");
    JavaPairRDD<Integer, int[]> targets = targets(spark, arguments[1], parts);
    LongAccumulator count = spark.sc().longAccumulator("Count.VERTICES");
    LongAccumulator sinks = spark.sc().longAccumulator("Count.SINKS");
    targets.foreach(
        vertex -> {
          count.add(1);
          sinks.add(vertex._2.length == 0 ? 1 : 0);
        });
    double vertices = count.value();
    if (vertices == 0) {
      throw new IOException(arguments[1] + " holds no edges");
    }

    double dangling = sinks.value() / vertices;
    JavaPairRDD<Integer, Double> ranks = targets.mapValues(all -> 1 / vertices);
    for (int i = 1; i <= iterations; i++) {
      Program.name(spark, "pagerank: iteration " + i);
      double base = (1 - DAMPING + DAMPING * dangling) / vertices;
      JavaPairRDD<Integer, Double> shares =
          targets
              .join(ranks, parts)
              .values()
              .flatMapToPair(PageRank::shares)
              .reduceByKey(parts, Double::sum);
      JavaPairRDD<Integer, Double> next =
          targets
              .leftOuterJoin(shares, parts)
              .mapValues(vertex -> base + DAMPING * vertex._2.orElse(0.0));
      if (i < iterations) {
        next = next.persist(StorageLevel.MEMORY_AND_DISK());
        dangling =
            targets
                .join(next, parts)
                .values()
                .mapToDouble(vertex -> vertex._1.length == 0 ? vertex._2 : 0)
                .sum();
        ranks.unpersist(false);
      }
      ranks = next;
    }
    Program.writeLines(
        spark,
        ranks.mapToPair(r -> new Tuple2<>(new IntWritable(r._1), new DoubleWritable(r._2))),
        IntWritable.class,
        DoubleWritable.class,
        arguments[2]);
  }

  /** All vertices that an edge names, with their targets. */
  private static JavaPairRDD<Integer, int[]> targets(
      JavaSparkContext spark, String folder, HashPartitioner parts) throws IOException {
    return Inputs.lines(spark, folder)
        .flatMapToPair(
            line -> {
              int tab = line.indexOf('\t');
              if (tab < 0) {
                throw new IOException("no edge: " + line);
              }
              int target = Integer.parseInt(line.substring(tab + 1));
              int source = Integer.parseInt(line.substring(0, tab));
              return List.of(new Tuple2<>(source, new int[] {target}), new Tuple2<>(target, NONE))
                  .iterator();
            })
        .reduceByKey(parts, PageRank::both)
        .persist(StorageLevel.MEMORY_AND_DISK());
  }

  private static int[] both(int[] some, int[] others) {
    if (others.length == 0) {
      return some;
    }
    int[] all = Arrays.copyOf(some, some.length + others.length);
    System.arraycopy(others, 0, all, some.length, others.length);
    return all;
  }

  /** What each target of a vertex gets of its rank. */
  private static Iterator<Tuple2<Integer, Double>> shares(Tuple2<int[], Double> vertex) {
    double share = vertex._2 / vertex._1.length;
    return Arrays.stream(vertex._1).mapToObj(target -> new Tuple2<>(target, share)).iterator();
  }

  /** Runs the program. */
  public static void main(String[] arguments) throws Exception {
    Program.run("pagerank", arguments, PageRank::work, "ITERATIONS", "EDGES", "OUTPUT");
  }
}
