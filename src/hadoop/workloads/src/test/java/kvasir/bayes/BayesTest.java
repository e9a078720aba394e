package kvasir.bayes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import kvasir.LocalJobs;
import kvasir.check.Labels;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BayesTest {
  @Test
  void textbookExample() {
    // Manning, Raghavan, Schuetze: Introduction to Information Retrieval, example 13.1.
    Model model = new Model();
    model.addLine("china\tChinese Beijing Chinese");
    model.addLine("china\tChinese Chinese Shanghai");
    model.addLine("china\tChinese Macao");
    model.addLine("other\tTokyo Japan Chinese");
    model.finish();
    assertEquals("china", model.label("Chinese Chinese Chinese Tokyo Japan"));
    assertEquals("other", model.label("Tokyo Japan"));
    assertEquals("china", model.label("never seen"), "only the frequency of labels is left");
  }

  @Test
  void blanksAreNoWords(@TempDir Path tmp) throws Exception {
    Path train = Files.createDirectory(tmp.resolve("train"));
    String lines = "sports\tgood  game\nsports\t good\nnews\t\nnews\tword good \n";
    Files.write(train.resolve("part-m-00000"), lines.getBytes(StandardCharsets.UTF_8));
    Path output = tmp.resolve("bayes");
    LocalJobs.run(new Bayes(), tmp, train, train, output);
    List<String> found = LocalJobs.lines(output.resolve("labels"));
    String expected = LocalJobs.printed(new Labels(), tmp, train, train);
    for (String line : found) {
      String[] fields = line.split("\t");
      String wanted = "\"" + fields[0] + "\\u0009" + fields[1] + "\":" + fields[2];
      assertTrue(expected.contains(wanted), expected + " lacks " + wanted);
    }
    assertEquals(Arrays.asList("good", "game"), Arrays.asList(Model.words(" good  game ")));
    assertEquals(0, Model.words("").length);
  }

  @Test
  void documentsDependOnSeedAndNumberOnly() {
    Documents documents = new Documents(4, 500, 30, 9);
    assertEquals(documents.line(3), new Documents(4, 500, 30, 9).line(3));
    String[] fields = documents.line(3).split("\t");
    assertTrue(fields[0].matches("c[0-3]"));
    int words = fields[1].split(" ").length;
    assertTrue(words >= 15 && words <= 45, "words: " + words);
  }

  @Test
  void jobsAgreeWithOneProcess(@TempDir Path tmp) throws Exception {
    Path train = tmp.resolve("train");
    Path test = tmp.resolve("test");
    LocalJobs.run(new Generate(), tmp, 0, 400, 5, 300, 40, 11, 3, train);
    LocalJobs.run(new Generate(), tmp, 400, 100, 5, 300, 40, 11, 2, test);
    assertEquals(400, LocalJobs.lines(train).size());
    Path output = tmp.resolve("bayes");
    LocalJobs.run(new Bayes(), tmp, train, test, output);
    List<String> found = LocalJobs.lines(output.resolve("labels"));
    String expected = LocalJobs.printed(new Labels(), tmp, train, test);
    long correct = 0;
    long all = 0;
    for (String line : found) {
      String[] fields = line.split("\t");
      String wanted = "\"" + fields[0] + "\\u0009" + fields[1] + "\":" + fields[2];
      assertTrue(expected.contains(wanted), expected + " lacks " + wanted);
      all += Long.parseLong(fields[2]);
      correct += fields[0].equals(fields[1]) ? Long.parseLong(fields[2]) : 0;
    }
    assertEquals(100, all);
    assertTrue(correct >= 80, "correct: " + correct);
  }
}
