package kvasir.transport;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Outputs of tests, each in a file. */
public abstract class FileOutputs implements Outputs {
  protected final Path folder;
  protected final Map<MapOutput, Range> ranges = new ConcurrentHashMap<>();

  /** Keeps its files in a folder. */
  protected FileOutputs(Path folder) {
    this.folder = folder;
  }

  /** Returns the file of an output. */
  protected abstract Path path(MapOutput output);

  @Override
  public Range find(Jobs.Job job, MapOutput output) throws IOException {
    Range found = ranges.get(output);
    if (found == null) {
      throw new RefusedException("there is no " + output);
    }
    return found;
  }

  @Override
  public Source open(Jobs.Job job, MapOutput output) throws IOException {
    return Source.of(FileChannel.open(path(output)));
  }

  @Override
  public void forget(String job) {}
}
