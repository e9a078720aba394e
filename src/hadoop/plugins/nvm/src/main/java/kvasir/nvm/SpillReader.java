package kvasir.nvm;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.Decompressor;
import org.apache.hadoop.mapred.IFile;

/** Reads a partition of a spill for Hadoop's merger, which takes its own kind of readers only. */
final class SpillReader<K, V> extends IFile.Reader<K, V> {
  private static final int CHUNK = 64 << 10;

  private final InputStream source;
  private final Decompressor inflater;
  private byte[] chunk;
  private int position;
  private int limit;
  private long left;
  private int keyEnd;
  private int valueEnd;

  SpillReader(
      Configuration conf,
      Region region,
      Delay delay,
      Spill spill,
      int partition,
      CompressionCodec codec)
      throws IOException {
    super(conf, null, spill.length(partition), null, null);
    left = spill.records(partition);
    Input input = new Input(region, delay, spill.offset(partition), spill.length(partition));
    inflater = codec == null ? null : CodecPool.getDecompressor(codec);
    source = codec == null ? input : codec.createInputStream(input, inflater);
    chunk = new byte[codec == null ? (int) Math.min(CHUNK, spill.length(partition)) : CHUNK];
  }

  @Override
  public boolean nextRawKey(DataInputBuffer key) throws IOException {
    if (left == 0) {
      return false;
    }
    left--;
    int keyLength = varint();
    int valueLength = varint();
    need(keyLength + valueLength);
    keyEnd = position + keyLength;
    valueEnd = keyEnd + valueLength;
    key.reset(chunk, position, keyLength);
    position = valueEnd;
    return true;
  }

  @Override
  public void nextRawValue(DataInputBuffer value) {
    value.reset(chunk, keyEnd, valueEnd - keyEnd);
  }

  @Override
  public long getPosition() {
    return bytesRead;
  }

  @Override
  public void close() {
    chunk = null;
    if (inflater != null) {
      CodecPool.returnDecompressor(inflater);
    }
  }

  private int varint() throws IOException {
    int value = 0;
    for (int shift = 0; ; shift += 7) {
      need(1);
      byte next = chunk[position++];
      value |= (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
  }

  /** Sees to it that so many bytes follow in the chunk. */
  private void need(int count) throws IOException {
    int there = limit - position;
    if (there >= count) {
      return;
    }
    if (count > chunk.length) {
      chunk = Arrays.copyOfRange(chunk, position, position + count);
    } else {
      System.arraycopy(chunk, position, chunk, 0, there);
    }
    position = 0;
    limit = there;
    while (limit < count) {
      int got = source.read(chunk, limit, chunk.length - limit);
      if (got <= 0) {
        throw new EOFException("a spill in memory ends within a record");
      }
      limit += got;
    }
  }

  private final class Input extends InputStream {
    private final Region region;
    private final Delay delay;
    private final long end;
    private final byte[] one = new byte[1];
    private long at;

    Input(Region region, Delay delay, long offset, long length) {
      this.region = region;
      this.delay = delay;
      at = offset;
      end = offset + length;
    }

    @Override
    public int read() throws IOException {
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int start, int count) throws IOException {
      if (count == 0) {
        return 0;
      }
      int part = (int) Math.min(count, end - at);
      if (part == 0) {
        return -1;
      }
      region.read(at, bytes, start, part);
      delay.access(at, part);
      at += part;
      bytesRead += part;
      return part;
    }
  }
}
