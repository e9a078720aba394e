package kvasir.nvm;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.IndexedSortable;
import org.apache.hadoop.util.Progress;

/**
 * Output records that become one spill: serialised in pages, each in one piece, and an index that
 * is sorted by partition and key. An entry of the index has four ints: partition, address (page and
 * offset), length of the key, length of the value, which follows the key.
 */
final class Records implements IndexedSortable {
  private static final int ENTRY = 4;
  private static final int OFFSET_BITS = 20;
  private static final int OFFSETS = (1 << OFFSET_BITS) - 1;

  private final Pages pages;
  private final RawComparator<?> comparator;
  private final int shift;
  private final int mask;
  private final List<byte[]> data = new ArrayList<>();
  private final List<int[]> index = new ArrayList<>();
  private boolean charged = true;
  private byte[] page;
  private int number = -1;
  private int free;
  private int count;
  private long bytes;

  Records(Pages pages, RawComparator<?> comparator) {
    this.pages = pages;
    this.comparator = comparator;
    shift = Integer.numberOfTrailingZeros(pages.size() / (ENTRY * Integer.BYTES));
    mask = (1 << shift) - 1;
  }

  /** Returns one record that is larger than all pages: it is in no page. */
  static Records alone(
      Pages pages,
      RawComparator<?> comparator,
      int partition,
      byte[] bytes,
      int keyLength,
      int valueLength) {
    Records records = new Records(pages, comparator);
    records.charged = false;
    records.data.add(bytes);
    records.index.add(new int[] {partition, 0, keyLength, valueLength});
    records.count = 1;
    records.bytes = (long) keyLength + valueLength;
    return records;
  }

  /** Returns the number of records. */
  int count() {
    return count;
  }

  /** Returns the serialised records' length. */
  long bytes() {
    return bytes;
  }

  /** Returns the page that records are appended to; null before the first. */
  byte[] page() {
    return page;
  }

  /** Returns the first free byte of that page. */
  int free() {
    return free;
  }

  /** Returns how many pages must be taken before a record of so many bytes can be added. */
  int needs(int length) {
    int forIndex = (count & mask) == 0 ? 1 : 0;
    return forIndex + (fits(length) ? 0 : Math.max(1, pages.of(length)));
  }

  /**
   * Returns whether a record follows the last one; an empty one too needs an offset within the
   * page.
   */
  private boolean fits(int length) {
    return page != null && free < pages.size() && length <= pages.size() - free;
  }

  /**
   * Adds a record, whose pages were taken. It is in the page behind the last one already if that is
   * `source`.
   */
  void add(int partition, byte[] source, int keyLength, int valueLength) {
    int length = keyLength + valueLength;
    if ((count & mask) == 0) {
      index.add(pages.ints());
    }
    int address;
    if (length > pages.size()) {
      byte[] large = pages.large(length);
      System.arraycopy(source, 0, large, 0, length);
      data.add(large);
      address = (data.size() - 1) << OFFSET_BITS;
    } else {
      if (!fits(length)) {
        page = pages.bytes();
        data.add(page);
        number = data.size() - 1;
        free = 0;
      }
      if (source != page) {
        System.arraycopy(source, 0, page, free, length);
      }
      address = number << OFFSET_BITS | free;
      free += length;
    }
    int[] entries = index.get(count >>> shift);
    int at = (count & mask) * ENTRY;
    entries[at] = partition;
    entries[at + 1] = address;
    entries[at + 2] = keyLength;
    entries[at + 3] = valueLength;
    count++;
    bytes += length;
  }

  /** Gives the pages back; the records are gone. */
  void release() {
    if (charged) {
      pages.give(data, index);
    }
    data.clear();
    index.clear();
    page = null;
    count = 0;
  }

  @Override
  public int compare(int left, int right) {
    int[] a = index.get(left >>> shift);
    int[] b = index.get(right >>> shift);
    int i = (left & mask) * ENTRY;
    int j = (right & mask) * ENTRY;
    if (a[i] != b[j]) {
      return a[i] < b[j] ? -1 : 1;
    }
    int p = a[i + 1];
    int q = b[j + 1];
    return comparator.compare(
        data.get(p >>> OFFSET_BITS),
        p & OFFSETS,
        a[i + 2],
        data.get(q >>> OFFSET_BITS),
        q & OFFSETS,
        b[j + 2]);
  }

  @Override
  public void swap(int left, int right) {
    int[] a = index.get(left >>> shift);
    int[] b = index.get(right >>> shift);
    int i = (left & mask) * ENTRY;
    int j = (right & mask) * ENTRY;
    for (int k = 0; k < ENTRY; k++) {
      int kept = a[i + k];
      a[i + k] = b[j + k];
      b[j + k] = kept;
    }
  }

  /** Returns the first record from `start` on that is not of a partition; they are sorted. */
  int end(int partition, int start) {
    int end = start;
    while (end < count && index.get(end >>> shift)[(end & mask) * ENTRY] == partition) {
      end++;
    }
    return end;
  }

  /** Returns the records of a range, in order. */
  RawKeyValueIterator range(int start, int end) {
    return new Range(start, end);
  }

  private final class Range implements RawKeyValueIterator {
    private final DataInputBuffer key = new DataInputBuffer();
    private final DataInputBuffer value = new DataInputBuffer();
    private final Progress progress = new Progress();
    private final int end;
    private int following;

    Range(int start, int end) {
      following = start;
      this.end = end;
    }

    @Override
    public boolean next() {
      if (following == end) {
        return false;
      }
      int[] entries = index.get(following >>> shift);
      int at = (following & mask) * ENTRY;
      byte[] bytes = data.get(entries[at + 1] >>> OFFSET_BITS);
      int offset = entries[at + 1] & OFFSETS;
      key.reset(bytes, offset, entries[at + 2]);
      value.reset(bytes, offset + entries[at + 2], entries[at + 3]);
      following++;
      return true;
    }

    @Override
    public DataInputBuffer getKey() {
      return key;
    }

    @Override
    public DataInputBuffer getValue() {
      return value;
    }

    @Override
    public Progress getProgress() {
      return progress;
    }

    @Override
    public void close() {}
  }
}
