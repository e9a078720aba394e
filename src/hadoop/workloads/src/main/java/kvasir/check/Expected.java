package kvasir.check;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import kvasir.Usage;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Works out in one process what a job of PUMA must write: number of lines, and the checksum of
 * {@link Lines}. The input is the job's, but for the ranked inverted index the text whose sequences
 * were counted. Inputs that make many keys are read several times, for a part of the keys each.
 */
public final class Expected extends Configured implements Tool {
  /** Works out the lines of one part of the keys. */
  private interface Reference {
    void add(Part part) throws IOException;
  }

  /** Bytes of input whose keys are held at once. */
  private static final long PART_BYTES = 12 << 20;

  private final Checksum checksum = new Checksum();
  private Path[] inputs = {};

  /** A part of all keys: those whose hash leaves a given rest. */
  private static final class Part {
    private final int number;
    private final int parts;

    Part(int number, int parts) {
      this.number = number;
      this.parts = parts;
    }

    boolean has(String key) {
      return Math.floorMod(key.hashCode(), parts) == number;
    }
  }

  @Override
  public int run(String[] arguments) throws Exception {
    Usage.expect(arguments, "JOB", "INPUT");
    Map<String, Reference> references = new TreeMap<>();
    references.put("adjacency-list", this::adjacencyList);
    references.put("self-join", this::selfJoin);
    references.put("inverted-index", this::invertedIndex);
    references.put("sequence-count", this::sequenceCount);
    references.put("ranked-inverted-index", this::rankedInvertedIndex);
    Reference reference = references.get(arguments[0]);
    if (reference == null) {
      throw new IOException("expected one of " + references.keySet() + ", got " + arguments[0]);
    }
    inputs = Parts.of(new Path(arguments[1]), getConf());
    long bytes = 0;
    for (Path input : inputs) {
      bytes += input.getFileSystem(getConf()).getFileStatus(input).getLen();
    }
    int parts = (int) (bytes / PART_BYTES) + 1;
    for (int i = 0; i < parts; i++) {
      reference.add(new Part(i, parts));
    }
    System.out.println(checksum.json());
    return 0;
  }

  /** Gives each line with the name of its file. */
  private void read(BiConsumer<String, String> take) throws IOException {
    for (Path input : inputs) {
      String name = input.getName();
      Parts.read(input, getConf(), line -> take.accept(name, line));
    }
  }

  private static String joined(TreeSet<Integer> vertices) {
    return vertices.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  private void adjacencyList(Part part) throws IOException {
    TreeMap<Integer, TreeSet<Integer>> sources = new TreeMap<>();
    TreeMap<Integer, TreeSet<Integer>> targets = new TreeMap<>();
    read(
        (file, line) -> {
          String[] ends = line.split("\t");
          Integer source = Integer.valueOf(ends[0]);
          Integer target = Integer.valueOf(ends[1]);
          if (part.has(ends[0])) {
            targets.computeIfAbsent(source, v -> new TreeSet<>()).add(target);
          }
          if (part.has(ends[1])) {
            sources.computeIfAbsent(target, v -> new TreeSet<>()).add(source);
          }
        });
    TreeSet<Integer> vertices = new TreeSet<>(sources.keySet());
    vertices.addAll(targets.keySet());
    TreeSet<Integer> none = new TreeSet<>();
    for (Integer vertex : vertices) {
      String from = joined(sources.getOrDefault(vertex, none));
      checksum.add(vertex + "\t" + from + "\t" + joined(targets.getOrDefault(vertex, none)));
    }
  }

  private void selfJoin(Part part) throws IOException {
    List<String> sets = new ArrayList<>();
    read(
        (file, line) -> {
          if (part.has(line.substring(0, line.lastIndexOf(',')))) {
            sets.add(line);
          }
        });
    Collections.sort(sets);
    List<String> different = sets.stream().distinct().collect(Collectors.toList());
    for (int i = 0; i < different.size(); i++) {
      String set = different.get(i);
      int comma = set.lastIndexOf(',');
      String shared = set.substring(0, comma + 1);
      for (int j = i + 1; j < different.size() && different.get(j).startsWith(shared); j++) {
        String pair = set.substring(comma + 1) + "," + different.get(j).substring(comma + 1);
        checksum.add(set.substring(0, comma) + "\t" + pair);
      }
    }
  }

  private static List<String> words(String line) {
    return Arrays.stream(line.split("\\s+"))
        .filter(word -> !word.isEmpty())
        .collect(Collectors.toList());
  }

  private void invertedIndex(Part part) throws IOException {
    Map<String, TreeSet<String>> index = new HashMap<>();
    read(
        (file, line) -> {
          for (String word : words(line)) {
            if (part.has(word)) {
              index.computeIfAbsent(word, w -> new TreeSet<>()).add(file);
            }
          }
        });
    index.forEach((word, files) -> checksum.add(word + "\t" + String.join(" ", files)));
  }

  /** How often each sequence occurs, by sequence and file; files in the order of their names. */
  private Map<String, Map<String, int[]>> sequences(Part part) throws IOException {
    Map<String, Map<String, int[]>> counts = new HashMap<>();
    read(
        (file, line) -> {
          List<String> words = words(line);
          for (int i = 0; i + 2 < words.size(); i++) {
            String sequence = String.join("|", words.subList(i, i + 3));
            if (part.has(sequence)) {
              counts.computeIfAbsent(sequence, s -> new LinkedHashMap<>(2))
                  .computeIfAbsent(file, f -> new int[1])[0]++;
            }
          }
        });
    return counts;
  }

  private void sequenceCount(Part part) throws IOException {
    sequences(part)
        .forEach(
            (sequence, files) ->
                files.forEach(
                    (file, count) -> checksum.add(sequence + "|" + file + "\t" + count[0])));
  }

  private void rankedInvertedIndex(Part part) throws IOException {
    sequences(part)
        .forEach(
            (sequence, files) -> {
              // Stable: files with equal counts stay in the order of their names.
              String ranked =
                  files.entrySet().stream()
                      .sorted((a, b) -> Integer.compare(b.getValue()[0], a.getValue()[0]))
                      .map(entry -> entry.getKey() + ":" + entry.getValue()[0])
                      .collect(Collectors.joining(" "));
              checksum.add(sequence + "\t" + ranked);
            });
  }

  /** Prints what it found. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Expected(), arguments));
  }
}
