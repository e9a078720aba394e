package kvasir.nvm;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.mapred.Counters;

/**
 * Appends a spill to a region: of each record the lengths of key and value, as ints of variable
 * length, then their bytes. Without a codec a record is one write of the device; with one, what the
 * codec hands on is.
 */
final class SpillWriter implements PartitionedOutput {
  private final Region region;
  private final Delay delay;
  private final CompressionCodec codec;
  private final Compressor compressor;
  private final Counters.Counter spilled;
  private final Spill spill;
  private final byte[] lengths = new byte[2 * Varint.MOST];
  private CompressionOutputStream compressed;
  private int partition;
  private long offset;
  private long records;

  SpillWriter(
      Region region,
      Delay delay,
      CompressionCodec codec,
      int partitions,
      Counters.Counter spilled) {
    this.region = region;
    this.delay = delay;
    this.codec = codec;
    this.spilled = spilled;
    compressor = codec == null ? null : CodecPool.getCompressor(codec);
    spill = new Spill(partitions);
  }

  @Override
  public void begin(int next) {
    partition = next;
    offset = region.length();
    records = 0;
  }

  @Override
  public void append(DataInputBuffer key, DataInputBuffer value) throws IOException {
    int keyLength = key.getLength() - key.getPosition();
    int valueLength = value.getLength() - value.getPosition();
    int header = Varint.put(lengths, Varint.put(lengths, 0, keyLength), valueLength);
    if (codec == null) {
      long position = region.length();
      region.append(lengths, 0, header);
      region.append(key.getData(), key.getPosition(), keyLength);
      region.append(value.getData(), value.getPosition(), valueLength);
      delay.access(position, header + keyLength + valueLength);
    } else {
      if (records == 0) {
        // An empty partition has no bytes, not those that the codec would begin with.
        if (compressor != null) {
          compressor.reset();
        }
        compressed = codec.createOutputStream(new Output(), compressor);
      }
      compressed.write(lengths, 0, header);
      compressed.write(key.getData(), key.getPosition(), keyLength);
      compressed.write(value.getData(), value.getPosition(), valueLength);
    }
    records++;
  }

  @Override
  public void end() throws IOException {
    if (compressed != null) {
      compressed.finish();
      compressed = null;
    }
    spill.put(partition, offset, region.length() - offset, records);
    spilled.increment(records);
  }

  /** Ends the spill, once the device has it. */
  Spill finish() throws IOException {
    delay.settle();
    return spill;
  }

  /** Gives the codec's buffers back. */
  void release() {
    if (compressor != null) {
      CodecPool.returnCompressor(compressor);
    }
  }

  private final class Output extends OutputStream {
    private final byte[] one = new byte[1];

    @Override
    public void write(int value) throws IOException {
      one[0] = (byte) value;
      write(one, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int start, int count) throws IOException {
      long position = region.length();
      region.append(bytes, start, count);
      delay.access(position, count);
    }
  }
}
