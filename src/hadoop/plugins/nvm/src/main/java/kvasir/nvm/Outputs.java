package kvasir.nvm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.mapreduce.JobID;

/**
 * Folder of merged outputs in the memory of a host, one below it for each application. It is there
 * while a NodeManager with {@link OutputService} runs on the host: nobody else would remove outputs
 * when their application ends.
 */
final class Outputs {
  private Outputs() {}

  static Path folder(Path memory) {
    return memory.resolve("kvasir-nvm-" + System.getProperty("user.name") + ".outputs");
  }

  /** Returns the file for the output of an attempt at a map. */
  static Path make(Path memory, JobID job, String attempt) throws IOException {
    Path folder = folder(memory);
    if (!Files.isDirectory(folder)) {
      throw new IOException(
          NvmSettings.OUTPUT
              + ": found no folder "
              + folder
              + ", which a NodeManager with the service kvasir_nvm makes and empties: "
              + "run one with the same "
              + NvmSettings.DIR);
    }
    String application = job.toString().replaceFirst("^job_", "application_");
    return Files.createDirectories(folder.resolve(application)).resolve(attempt);
  }

  /** Removes the outputs of an application, if there are any. */
  static void remove(Path memory, String application) throws IOException {
    delete(folder(memory).resolve(application));
  }

  /** Removes all of them. */
  static void remove(Path memory) throws IOException {
    delete(folder(memory));
  }

  private static void delete(Path tree) throws IOException {
    if (!Files.isDirectory(tree)) {
      return;
    }
    List<Path> all;
    try (Stream<Path> found = Files.walk(tree)) {
      all = found.sorted(Comparator.reverseOrder()).collect(Collectors.toList());
    }
    for (Path path : all) {
      Files.deleteIfExists(path);
    }
  }
}
