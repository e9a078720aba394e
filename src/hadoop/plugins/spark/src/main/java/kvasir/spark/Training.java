package kvasir.spark;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.io.Text;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * Does what the programs do, with a few records of its own: writes and reads sequence files, adds
 * up, sorts, keeps in memory, writes lines. So the classes are known that they load.
 */
public final class Training {
  private Training() {}

  static void work(JavaSparkContext spark, String[] arguments) throws IOException {
    String texts = arguments[0] + "/texts";
    List<String> words = List.of("to", "be", "or", "not", "to", "be");
    JavaPairRDD<Text, Text> records =
        spark.parallelize(words, 2).mapToPair(word -> new Tuple2<>(new Text(word), new Text(word)));
    Program.writeSequences(spark, records, Text.class, Text.class, texts);
    Sort.work(spark, new String[] {texts, arguments[0] + "/sorted"});
    Grep.work(spark, new String[] {texts, arguments[0] + "/matches", "[a-z]*t"});
    WordCount.work(spark, new String[] {texts, arguments[0] + "/words"});
    JavaPairRDD<String, Integer> kept =
        Inputs.lines(spark, arguments[0] + "/words")
            .mapToPair(line -> new Tuple2<>(line, line.length()))
            .cache();
    kept.join(kept.reduceByKey(Integer::sum)).collectAsMap();
  }

  /** Runs the program. */
  public static void main(String[] arguments) throws Exception {
    Program.run("training", arguments, Training::work, "OUTPUT");
  }
}
