package kvasir.spark;

import java.io.IOException;
import java.util.Iterator;
import java.util.StringTokenizer;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** Counts the words of texts, as Hadoop's example: lines {@code word TAB count}. */
public final class WordCount {
  private WordCount() {}

  static void work(JavaSparkContext spark, String[] arguments) throws IOException {
    JavaPairRDD<String, Long> counts =
        Inputs.texts(spark, arguments[0])
            .flatMap(record -> words(record._2.toString()))
            .mapToPair(word -> new Tuple2<>(word, 1L))
            .reduceByKey(Long::sum, Program.reduces(spark));
    Program.writeLines(
        spark,
        counts.mapToPair(c -> new Tuple2<>(new Text(c._1), new LongWritable(c._2))),
        Text.class,
        LongWritable.class,
        arguments[1]);
  }

  private static Iterator<String> words(String line) {
    StringTokenizer tokens = new StringTokenizer(line);
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return tokens.hasMoreTokens();
      }

      @Override
      public String next() {
        return tokens.nextToken();
      }
    };
  }

  /** Runs the program. */
  public static void main(String[] arguments) throws Exception {
    Program.run("wordcount", arguments, WordCount::work, "INPUT", "OUTPUT");
  }
}
