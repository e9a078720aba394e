package kvasir.shuffle;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.MRConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds bytes on the local disk for which there is no memory. Safe for use by several threads.
 *
 * <p>Checksums of map outputs are at their ends and come back with them: the file has none.
 */
public final class SpillFile {
  private static final Logger LOG = LoggerFactory.getLogger(SpillFile.class);

  private final Configuration conf;
  private final FileSystem files;
  private final String name;
  private Path path;
  private FSDataOutputStream out;
  private FSDataInputStream in;
  private long written;

  /** Makes a file of this name in a local folder of the task when it is needed. */
  public SpillFile(Configuration conf, FileSystem local, String name) {
    this.conf = conf;
    this.files = local instanceof LocalFileSystem ? ((LocalFileSystem) local).getRaw() : local;
    this.name = name;
  }

  /** Appends bytes; returns where they are. After an error nothing more may be written. */
  public synchronized long write(byte[] bytes, int at, int count) throws IOException {
    if (out == null) {
      path = new LocalDirAllocator(MRConfig.LOCAL_DIR).getLocalPathForWrite(name, count, conf);
      out = files.create(path);
    }
    out.write(bytes, at, count);
    // Who called gives up its copy: a disk that is full has to say so now.
    out.flush();
    long start = written;
    written += count;
    return start;
  }

  /** Reads bytes that were written. */
  public synchronized void read(long from, byte[] into, int at, int count) throws IOException {
    if (in == null) {
      in = files.open(path);
    }
    in.readFully(from, into, at, count);
  }

  /** Returns the bytes that were written. */
  public synchronized long written() {
    return written;
  }

  /** Removes the file. */
  public synchronized void close() {
    if (out == null) {
      return;
    }
    try {
      if (in != null) {
        in.close();
      }
      out.close();
      files.delete(path, false);
    } catch (IOException e) {
      LOG.warn("{} is left", path, e);
    }
    out = null;
  }
}
