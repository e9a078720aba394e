package kvasir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Runs jobs within the test's process, on local files. */
public final class LocalJobs {
  private LocalJobs() {}

  /** Settings with several reduce tasks, so that partitions and combiners matter. */
  public static Configuration conf(Path tmp) {
    Configuration conf = new Configuration();
    conf.set("fs.defaultFS", "file:///");
    conf.set("mapreduce.framework.name", "local");
    conf.set("hadoop.tmp.dir", tmp.resolve("hadoop").toString());
    // Otherwise all users of a machine meet in one folder.
    conf.set("mapreduce.jobtracker.staging.root.dir", tmp.resolve("staging").toString());
    conf.setInt("mapreduce.task.io.sort.mb", 1);
    conf.setInt("mapreduce.job.reduces", 3);
    // By default a program looks each second whether its job has ended.
    conf.setInt("mapreduce.client.progressmonitor.pollinterval", 10);
    return conf;
  }

  /** Runs a program that must end well. */
  public static void run(Tool tool, Path tmp, Object... arguments) throws Exception {
    try {
      assertEquals(0, ToolRunner.run(conf(tmp), tool, strings(arguments)));
    } finally {
      settle(tmp.resolve("hadoop/mapred/local/localRunner"));
    }
  }

  /**
   * Waits until the threads of jobs that have ended removed their files; JUnit removes the rest.
   */
  private static void settle(Path folder) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (holdsJob(folder.toFile())) {
      assertTrue(System.nanoTime() < end, "files of a job are left in " + folder);
      Thread.sleep(5);
    }
  }

  /** Whether a job's configuration is there, which its thread removes last. */
  private static boolean holdsJob(File folder) {
    File[] files = folder.listFiles();
    return files != null
        && Stream.of(files).anyMatch(f -> f.getName().matches("job_.*[.]xml") || holdsJob(f));
  }

  /** Runs a program that must end well; what it prints. */
  public static String printed(Tool tool, Path tmp, Object... arguments) throws Exception {
    PrintStream out = System.out;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setOut(new PrintStream(bytes, true, "UTF-8"));
    try {
      run(tool, tmp, arguments);
    } finally {
      System.setOut(out);
    }
    return new String(bytes.toByteArray(), StandardCharsets.UTF_8).trim();
  }

  private static String[] strings(Object... arguments) {
    return Stream.of(arguments).map(String::valueOf).toArray(String[]::new);
  }

  /** All lines of a job's output. */
  public static List<String> lines(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> parts =
          files
              .filter(f -> f.getFileName().toString().startsWith("part-"))
              .sorted()
              .collect(Collectors.toList());
      StringBuilder text = new StringBuilder();
      for (Path part : parts) {
        text.append(new String(Files.readAllBytes(part), StandardCharsets.UTF_8));
      }
      return Stream.of(text.toString().split("\n"))
          .filter(line -> !line.isEmpty())
          .collect(Collectors.toList());
    }
  }
}
