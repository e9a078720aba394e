package kvasir.shuffle;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.IFile;

/**
 * Reads the records of a map output that arrives, checksum and compression included.
 *
 * <p>A record that cannot be is an error before memory is made for it.
 */
final class SegmentReader<K, V> extends IFile.Reader<K, V> {
  private final OutputBytes output;
  private final Reports reports;
  private final DataInputStream records;
  private byte[] key = new byte[64];
  private boolean handedOn;

  SegmentReader(
      Configuration conf,
      OutputBytes output,
      CompressionCodec codec,
      int bufferBytes,
      Reports reports)
      throws IOException {
    super(conf, new FSDataInputStream(new ForwardStream(output)), output.length(), codec, null);
    this.output = output;
    this.reports = reports;
    // Checksums of few bytes at a time are slow.
    this.records = new DataInputStream(new BufferedInputStream(dataIn, bufferBytes));
  }

  /** Says that records are given to the reducer from now on. */
  void handOn() {
    handedOn = true;
  }

  @Override
  public boolean nextRawKey(DataInputBuffer into) throws IOException {
    try {
      if (!positionToNextRecord(records)) {
        return false;
      }
      long rest = output.rawLength() - bytesRead;
      if ((long) currentKeyLength + currentValueLength > rest) {
        throw new IOException(
            "a record of "
                + currentKeyLength
                + " and "
                + currentValueLength
                + " bytes where "
                + rest
                + " are left");
      }
      key = room(key, currentKeyLength);
      records.readFully(key, 0, currentKeyLength);
      bytesRead += currentKeyLength;
      into.reset(key, currentKeyLength);
      return true;
    } catch (IOException | RuntimeException e) {
      throw said(e);
    }
  }

  @Override
  public void nextRawValue(DataInputBuffer into) throws IOException {
    try {
      // The buffer of an earlier value may be used again; a key's is still needed.
      byte[] value = into.getData();
      value = value == key ? new byte[currentValueLength] : room(value, currentValueLength);
      records.readFully(value, 0, currentValueLength);
      bytesRead += currentValueLength;
      into.reset(value, currentValueLength);
      recNo++;
    } catch (IOException | RuntimeException e) {
      throw said(e);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      super.close();
    } catch (IOException | RuntimeException e) {
      throw said(e);
    }
  }

  private static byte[] room(byte[] known, int needed) {
    return known.length >= needed ? known : new byte[Math.max(needed, 2 * known.length)];
  }

  /** Reports what went wrong; returns it as the reduce attempt's error. */
  private IOException said(Exception problem) {
    boolean unreachable = problem instanceof FetchFailedException;
    if (reports != null && output.map() != null) {
      if (handedOn) {
        reports.lost(output.map());
      } else {
        reports.failed(output.map());
      }
    }
    String what = unreachable ? problem.getMessage() : output + " is corrupt: " + problem;
    return new IOException(
        handedOn ? what + "; records of it have been reduced, so that this attempt fails" : what,
        problem);
  }
}
