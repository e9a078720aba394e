package kvasir.nvm;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Paths;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.IFile;
import org.apache.hadoop.mapred.IndexRecord;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputFile;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.SpillRecord;

/**
 * The map's output as Hadoop's shuffles serve it: a file with a part for each reduce task, and
 * their index.
 */
final class OutputFile<K, V> implements PartitionedOutput, Closeable {
  /** A shuffle runs as another user of the group, so it must be able to read both. */
  private static final FsPermission SERVED = new FsPermission((short) 0640);

  /** More than what an empty part takes, with a codec's frame. */
  private static final int PART_OVERHEAD = 150;

  private final JobConf job;
  private final Class<K> keyClass;
  private final Class<V> valueClass;
  private final CompressionCodec codec;
  private final Counters.Counter spilled;
  private final FileSystem disk;
  private final Path path;
  private final Path indexPath;
  private final java.nio.file.Path file;
  private final FSDataOutputStream out;
  private final SpillRecord index;
  private IFile.Writer<K, V> writer;
  private long start;
  private int partition;

  /**
   * Begins the output.
   *
   * @param memory where the file is to be instead of the local directory, which then has a link to
   *     it; or null
   * @param delay of writes to that memory
   */
  @SuppressWarnings("unchecked")
  OutputFile(
      JobConf job,
      MapOutputFile files,
      int partitions,
      long bytes,
      CompressionCodec codec,
      Counters.Counter spilled,
      java.nio.file.Path memory,
      Delay delay)
      throws IOException {
    this.job = job;
    this.codec = codec;
    this.spilled = spilled;
    keyClass = (Class<K>) job.getMapOutputKeyClass();
    valueClass = (Class<V>) job.getMapOutputValueClass();
    disk = FileSystem.getLocal(job).getRaw();
    path = files.getOutputFileForWrite(bytes + (long) partitions * PART_OVERHEAD);
    indexPath =
        files.getOutputIndexFileForWrite(
            (long) partitions * MapTask.MAP_OUTPUT_INDEX_RECORD_LENGTH);
    index = new SpillRecord(partitions);
    java.nio.file.Path local = Paths.get(path.toUri().getPath());
    if (memory == null) {
      file = local;
      out = disk.create(path, true);
    } else {
      file = memory;
      out = new FSDataOutputStream(new MemoryStream(memory, delay), null);
      Files.createDirectories(local.getParent());
      Files.deleteIfExists(local);
      Files.createSymbolicLink(local, memory);
    }
  }

  @Override
  public void begin(int next) throws IOException {
    partition = next;
    start = out.getPos();
    writer = new IFile.Writer<>(job, out, keyClass, valueClass, codec, spilled);
  }

  @Override
  public void append(DataInputBuffer key, DataInputBuffer value) throws IOException {
    writer.append(key, value);
  }

  @Override
  public void end() throws IOException {
    writer.close();
    index.putIndex(
        new IndexRecord(start, writer.getRawLength(), writer.getCompressedLength()), partition);
    writer = null;
  }

  /** Makes the output complete; returns its length. */
  long finish() throws IOException {
    out.close();
    index.writeToFile(indexPath, job);
    if (!SERVED.equals(SERVED.applyUMask(FsPermission.getUMask(job)))) {
      disk.setPermission(path, SERVED);
      disk.setPermission(indexPath, SERVED);
    }
    return Files.size(file);
  }

  @Override
  public void close() throws IOException {
    out.close();
  }

  /** Writes a file in memory as slowly as the device would take it. */
  private static final class MemoryStream extends BufferedOutputStream {
    private static final int BUFFER = 64 << 10;

    /** Apart from all that is in a region. */
    private static final long FAR = 1L << 62;

    MemoryStream(java.nio.file.Path file, Delay delay) throws IOException {
      super(new Delayed(Files.newOutputStream(file), delay), BUFFER);
    }

    private static final class Delayed extends FilterOutputStream {
      private final Delay delay;
      private long position = FAR;

      Delayed(OutputStream out, Delay delay) {
        super(out);
        this.delay = delay;
      }

      @Override
      public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int offset, int count) throws IOException {
        out.write(bytes, offset, count);
        delay.access(position, count);
        position += count;
      }

      @Override
      public void close() throws IOException {
        super.close();
        delay.settle();
      }
    }
  }
}
