package kvasir.check;

import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** The files of a job's output, in order. */
final class Parts {
  private Parts() {}

  static Path[] of(Path folder, Configuration conf) throws IOException {
    FileSystem files = folder.getFileSystem(conf);
    FileStatus[] found = files.globStatus(new Path(folder, "part-*"));
    if (found == null || found.length == 0) {
      throw new FileNotFoundException(folder + " holds no output of a job");
    }
    return Arrays.stream(found).map(FileStatus::getPath).sorted().toArray(Path[]::new);
  }

  static void lines(Path folder, Configuration conf, Consumer<String> take) throws IOException {
    for (Path part : of(folder, conf)) {
      read(part, conf, take);
    }
  }

  static void read(Path file, Configuration conf, Consumer<String> take) throws IOException {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(file.getFileSystem(conf).open(file), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        take.accept(line);
      }
    }
  }
}
