package kvasir.shuffle;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import kvasir.transport.FileOutputs;
import kvasir.transport.Jobs;
import kvasir.transport.MapOutput;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.IFile;

/** Map outputs of tests, as maps write them. */
public final class MapOutputs extends FileOutputs {
  /** Without Hadoop's defaults, which take longer to read than an output to write. */
  private static final Configuration CONF = new Configuration(false);

  /** How long opening a file takes. */
  public volatile int delayMs;

  /** Keeps its files in a folder. */
  public MapOutputs(Path folder) {
    super(folder);
  }

  /** Stores sorted records, each with a value that begins as the key does. */
  public void put(MapOutput output, List<String> keys, CompressionCodec codec) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    FSDataOutputStream stream = new FSDataOutputStream(bytes, null);
    IFile.Writer<Text, Text> writer =
        new IFile.Writer<>(CONF, stream, Text.class, Text.class, codec, null);
    for (String key : keys) {
      writer.append(new Text(key), new Text(key + "!"));
    }
    writer.close();
    Files.write(path(output), bytes.toByteArray());
    ranges.put(output, new Range(0, bytes.size(), writer.getRawLength()));
  }

  /** Changes a byte at a part of an output's length. */
  public void damage(MapOutput output, double part) throws IOException {
    damage(output, (int) (part * Files.size(path(output))), 0x10);
  }

  /** Changes bits of a byte of an output. */
  public void damage(MapOutput output, int at, int bits) throws IOException {
    byte[] file = Files.readAllBytes(path(output));
    file[at] ^= bits;
    Files.write(path(output), file);
  }

  @Override
  public Source open(Jobs.Job job, MapOutput output) throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(delayMs);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return super.open(job, output);
  }

  @Override
  protected Path path(MapOutput output) {
    return folder.resolve(output.attempt());
  }
}
