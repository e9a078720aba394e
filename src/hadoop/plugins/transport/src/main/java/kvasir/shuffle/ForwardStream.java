package kvasir.shuffle;

import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.fs.Seekable;

/** Makes a stream of a map output, as Hadoop's readers want it. It goes forward only. */
final class ForwardStream extends InputStream implements Seekable, PositionedReadable {
  private final OutputBytes output;
  private long position;

  ForwardStream(OutputBytes output) {
    this.output = output;
  }

  @Override
  public int read() throws IOException {
    int found = output.read();
    position += found < 0 ? 0 : 1;
    return found;
  }

  @Override
  public int read(byte[] into, int at, int count) throws IOException {
    int found = output.read(into, at, count);
    position += Math.max(0, found);
    return found;
  }

  @Override
  public void close() {
    output.close();
  }

  @Override
  public long getPos() {
    return position;
  }

  @Override
  public void seek(long to) throws IOException {
    throw onlyForward();
  }

  @Override
  public boolean seekToNewSource(long to) {
    return false;
  }

  @Override
  public int read(long from, byte[] into, int at, int count) throws IOException {
    throw onlyForward();
  }

  @Override
  public void readFully(long from, byte[] into, int at, int count) throws IOException {
    throw onlyForward();
  }

  @Override
  public void readFully(long from, byte[] into) throws IOException {
    throw onlyForward();
  }

  private static IOException onlyForward() {
    return new IOException("a map output is read from its beginning to its end only");
  }
}
