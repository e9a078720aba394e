package kvasir.nvm;

import java.util.ArrayDeque;

/**
 * Memory of the sort buffer: equal pages, of bytes for records or of ints for their index. What is
 * in use never exceeds the pages that there are, and what is allocated does not either.
 */
final class Pages {
  private static final int LEAST = 4 << 10;

  /** Largest page, bytes: an offset in it takes 20 bits of an address. */
  static final int MOST = 1 << 20;

  private final int size;
  private final int total;
  private final ArrayDeque<byte[]> bytes = new ArrayDeque<>();
  private final ArrayDeque<int[]> ints = new ArrayDeque<>();
  private int used;
  private int made;

  /** Divides so many bytes of memory. */
  Pages(long memory) {
    size = (int) Math.max(LEAST, Math.min(MOST, Long.highestOneBit(memory / 32)));
    total = (int) (memory / size);
  }

  /** Returns the bytes of a page, a power of two. */
  int size() {
    return size;
  }

  /** Returns the number of pages. */
  int total() {
    return total;
  }

  /** Returns the pages in use. */
  synchronized int used() {
    return used;
  }

  /** Returns how many pages hold so many bytes. */
  int of(int count) {
    return (int) (((long) count + size - 1) / size);
  }

  /** Sets pages aside, if there are so many; they must then be made. */
  synchronized boolean take(int count) {
    if (count > total - used) {
      return false;
    }
    used += count;
    return true;
  }

  /** Returns a page for bytes, which was taken. */
  synchronized byte[] bytes() {
    byte[] page = bytes.poll();
    if (page == null) {
      makeRoom(1);
      page = new byte[size];
    }
    return page;
  }

  /** Returns a page for ints, which was taken. */
  synchronized int[] ints() {
    int[] page = ints.poll();
    if (page == null) {
      makeRoom(1);
      page = new int[size / Integer.BYTES];
    }
    return page;
  }

  /** Returns an array larger than a page, whose pages were taken. */
  synchronized byte[] large(int length) {
    makeRoom(of(length));
    return new byte[length];
  }

  /** Gives pages back. */
  synchronized void give(Iterable<byte[]> data, Iterable<int[]> index) {
    for (byte[] page : data) {
      used -= of(page.length);
      if (page.length == size) {
        bytes.push(page);
      } else {
        made -= of(page.length);
      }
    }
    for (int[] page : index) {
      used--;
      ints.push(page);
    }
  }

  private void makeRoom(int count) {
    made += count;
    while (made > total && (bytes.poll() != null || ints.poll() != null)) {
      made--;
    }
  }
}
