package kvasir.transport;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Outputs of tests: a file for each, with some bytes of others around it. */
public final class Stored extends FileOutputs {
  private static final int BEFORE = 7;

  private volatile MapOutput explosive;
  private final Map<MapOutput, IOException> failures = new ConcurrentHashMap<>();

  /** Keeps its files in a folder. */
  public Stored(Path folder) {
    super(folder);
  }

  /** Stores an output. */
  public void put(MapOutput output, byte[] bytes, long rawLength) throws IOException {
    byte[] file = new byte[BEFORE + bytes.length + 5];
    System.arraycopy(bytes, 0, file, BEFORE, bytes.length);
    Files.write(path(output), file);
    ranges.put(output, new Range(BEFORE, bytes.length, rawLength));
  }

  /** Changes a byte of an output. */
  public void damage(MapOutput output, int at) throws IOException {
    byte[] file = Files.readAllBytes(path(output));
    file[BEFORE + at] ^= 0x40;
    Files.write(path(output), file);
  }

  /** Leaves a part of an output's file only. */
  public void cut(MapOutput output, int bytes) throws IOException {
    try (FileChannel file = FileChannel.open(path(output), StandardOpenOption.WRITE)) {
      file.truncate(BEFORE + bytes);
    }
  }

  /** Has the server run out of memory when it looks for an output. */
  public void explode(MapOutput output) {
    explosive = output;
  }

  /** Has the server fail to open the file of an output, once. */
  public void failOnce(MapOutput output, IOException failure) {
    failures.put(output, failure);
  }

  /** Removes an output. */
  public void remove(MapOutput output) {
    ranges.remove(output);
  }

  @Override
  public Range find(Jobs.Job job, MapOutput output) throws IOException {
    if (output.equals(explosive)) {
      throw new OutOfMemoryError("as the test wants it");
    }
    return super.find(job, output);
  }

  @Override
  public Source open(Jobs.Job job, MapOutput output) throws IOException {
    IOException failure = failures.remove(output);
    if (failure != null) {
      throw failure;
    }
    return super.open(job, output);
  }

  @Override
  protected Path path(MapOutput output) {
    return folder.resolve(output.attempt() + "-" + output.reduce());
  }
}
