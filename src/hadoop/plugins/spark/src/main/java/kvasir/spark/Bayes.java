package kvasir.spark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import kvasir.bayes.Model;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import scala.Tuple2;

/**
 * Multinomial naive Bayes, as our jobs for Hadoop: counts words and documents per label in labelled
 * documents, then labels other documents with the model that follows. The output has the model in
 * {@code model} and, in {@code labels}, lines {@code true label TAB found label TAB documents}.
 */
public final class Bayes {
  private Bayes() {}

  static void work(JavaSparkContext spark, String[] arguments) throws IOException {
    int reduces = Program.reduces(spark);
    Program.name(spark, "bayes: training");
    JavaPairRDD<String, Long> counts =
        Inputs.lines(spark, arguments[0])
            .flatMapToPair(Bayes::words)
            .reduceByKey(Long::sum, reduces)
            .cache();
    write(spark, counts, arguments[2] + "/model");

    Program.name(spark, "bayes: model");
    Model model = model(counts.collectAsMap());

    Program.name(spark, "bayes: labelling");
    Broadcast<Model> known = spark.broadcast(model);
    JavaPairRDD<String, Long> labels =
        Inputs.lines(spark, arguments[1])
            .mapToPair(
                line -> {
                  int tab = line.indexOf('\t');
                  String found = known.value().label(line.substring(tab + 1));
                  return new Tuple2<>(line.substring(0, tab + 1) + found, 1L);
                })
            .reduceByKey(Long::sum, reduces);
    write(spark, labels, arguments[2] + "/labels");
  }

  /** A document's label with each of its words, and with "" for the document itself. */
  private static Iterator<Tuple2<String, Long>> words(String line) throws IOException {
    int tab = line.indexOf('\t');
    if (tab < 0) {
      throw new IOException("no labelled document: " + line);
    }
    String label = line.substring(0, tab + 1);
    List<Tuple2<String, Long>> found = new ArrayList<>();
    found.add(new Tuple2<>(label, 1L));
    for (String word : Model.words(line.substring(tab + 1))) {
      found.add(new Tuple2<>(label + word, 1L));
    }
    return found.iterator();
  }

  private static Model model(Map<String, Long> counts) {
    Model model = new Model();
    counts.forEach(
        (key, count) -> {
          int tab = key.indexOf('\t');
          if (tab == key.length() - 1) {
            model.addDocuments(key.substring(0, tab), count);
          } else {
            model.addWord(key.substring(0, tab), key.substring(tab + 1), count);
          }
        });
    return model.finish();
  }

  private static void write(JavaSparkContext spark, JavaPairRDD<String, Long> counts, String folder)
      throws IOException {
    Program.writeLines(
        spark,
        counts.mapToPair(c -> new Tuple2<>(new Text(c._1), new LongWritable(c._2))),
        Text.class,
        LongWritable.class,
        folder);
  }

  /** Runs the program. */
  public static void main(String[] arguments) throws Exception {
    Program.run("bayes", arguments, Bayes::work, "TRAINING-INPUT", "TEST-INPUT", "OUTPUT");
  }
}
