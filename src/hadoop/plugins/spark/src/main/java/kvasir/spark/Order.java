package kvasir.spark;

import java.io.Serializable;
import java.util.Comparator;
import org.apache.hadoop.io.WritableComparator;

/** The order of Hadoop's texts: that of their bytes without sign. */
final class Order implements Comparator<byte[]>, Serializable {
  private static final long serialVersionUID = 1L;

  @Override
  public int compare(byte[] a, byte[] b) {
    return WritableComparator.compareBytes(a, 0, a.length, b, 0, b.length);
  }
}
