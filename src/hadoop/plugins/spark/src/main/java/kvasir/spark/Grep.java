package kvasir.spark;

import java.io.IOException;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * Counts the matches of a pattern in texts, as Hadoop's example: one file of lines {@code count TAB
 * match}, the most frequent first.
 */
public final class Grep {
  private Grep() {}

  static void work(JavaSparkContext spark, String[] arguments) throws IOException {
    Pattern pattern = Pattern.compile(arguments[2]);
    JavaPairRDD<Long, String> counts =
        Inputs.texts(spark, arguments[0])
            .flatMap(
                record ->
                    pattern
                        .matcher(record._2.toString())
                        .results()
                        .map(MatchResult::group)
                        .iterator())
            .mapToPair(match -> new Tuple2<>(match, 1L))
            .reduceByKey(Long::sum, Program.reduces(spark))
            .mapToPair(Tuple2::swap)
            .sortByKey(false, 1);
    Program.writeLines(
        spark,
        counts.mapToPair(c -> new Tuple2<>(new LongWritable(c._1), new Text(c._2))),
        LongWritable.class,
        Text.class,
        arguments[1]);
  }

  /** Runs the program. */
  public static void main(String[] arguments) throws Exception {
    Program.run("grep", arguments, Grep::work, "INPUT", "OUTPUT", "PATTERN");
  }
}
