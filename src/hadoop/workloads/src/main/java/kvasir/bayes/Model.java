package kvasir.bayes;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Multinomial naive Bayes with Laplace smoothing: counts of documents per label and of words per
 * label, and the label that they make most likely.
 */
public final class Model {
  private final Map<String, Long> documents = new TreeMap<>();
  private final Map<String, Map<String, Long>> words = new TreeMap<>();
  private final Map<String, Integer> index = new HashMap<>();
  private List<String> labels = new ArrayList<>();
  private double[] prior = {};
  private double[][] likelihood = {};

  /** Adds documents of a label. */
  public void addDocuments(String label, long count) {
    documents.merge(label, count, Long::sum);
  }

  /** Adds occurrences of a word in documents of a label. */
  public void addWord(String label, String word, long count) {
    words.computeIfAbsent(label, l -> new HashMap<>()).merge(word, count, Long::sum);
    index.putIfAbsent(word, index.size());
  }

  /** The words of a text, which blanks separate. */
  public static String[] words(String text) {
    return Arrays.stream(text.split(" ")).filter(word -> !word.isEmpty()).toArray(String[]::new);
  }

  /** Adds a line {@code label TAB words}. */
  public void addLine(String line) {
    int tab = line.indexOf('\t');
    String label = line.substring(0, tab);
    addDocuments(label, 1);
    for (String word : words(line.substring(tab + 1))) {
      addWord(label, word, 1);
    }
  }

  /** Turns the counts into logarithms of probabilities; to be called once, after all is added. */
  public Model finish() {
    labels = new ArrayList<>(documents.keySet());
    prior = new double[labels.size()];
    likelihood = new double[labels.size()][index.size()];
    double all = documents.values().stream().mapToLong(Long::longValue).sum();
    for (int i = 0; i < prior.length; i++) {
      Map<String, Long> own = words.getOrDefault(labels.get(i), new HashMap<>());
      double total = own.values().stream().mapToLong(Long::longValue).sum() + index.size();
      prior[i] = Math.log(documents.get(labels.get(i)) / all);
      for (Map.Entry<String, Integer> word : index.entrySet()) {
        long count = own.getOrDefault(word.getKey(), 0L);
        likelihood[i][word.getValue()] = Math.log((count + 1) / total);
      }
    }
    return this;
  }

  /** The most likely label of a document; of equal ones the first. Words never seen say nothing. */
  public String label(String text) {
    double[] score = prior.clone();
    for (String word : words(text)) {
      Integer i = index.get(word);
      if (i != null) {
        for (int label = 0; label < score.length; label++) {
          score[label] += likelihood[label][i];
        }
      }
    }
    int best = 0;
    for (int i = 1; i < score.length; i++) {
      best = score[i] > score[best] ? i : best;
    }
    return labels.get(best);
  }
}
