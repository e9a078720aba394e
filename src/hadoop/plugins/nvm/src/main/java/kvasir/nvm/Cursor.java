package kvasir.nvm;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** Where a record is serialised: behind the last one, or aside if the page has no room for it. */
final class Cursor extends OutputStream {
  private final int pageSize;
  private final byte[] one = new byte[1];
  private byte[] aside = new byte[256];
  private byte[] page;
  private int start;
  private int length;

  /** Writes records for pages of such a size. */
  Cursor(int pageSize) {
    this.pageSize = pageSize;
  }

  /** Begins a record that will be added to those. */
  void begin(Records records) {
    page = records.page();
    start = records.free();
    length = 0;
  }

  /** Returns the bytes written since the record began. */
  int length() {
    return length;
  }

  /** Returns the array that has the record: the page, or one that begins with it. */
  byte[] bytes() {
    return page == null ? aside : page;
  }

  /** Returns the record's bytes from the array's start on, where they stay. */
  byte[] kept() {
    leave(length);
    return aside;
  }

  private void leave(int size) {
    if (aside.length < size) {
      aside =
          Arrays.copyOf(
              aside, (int) Math.min(Integer.MAX_VALUE - 8, Math.max(size, 2L * aside.length)));
    }
    if (page != null) {
      System.arraycopy(page, start, aside, 0, length);
      page = null;
    }
  }

  @Override
  public void write(int value) throws IOException {
    one[0] = (byte) value;
    write(one, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int count) throws IOException {
    long after = (long) length + count;
    if (after > Integer.MAX_VALUE - 8) {
      throw new IOException("a record of " + after + " bytes: none may be larger than 2 GiB");
    }
    if (page == null || after > pageSize - start) {
      leave((int) after);
      System.arraycopy(bytes, offset, aside, length, count);
    } else {
      System.arraycopy(bytes, offset, page, start + length, count);
    }
    length = (int) after;
  }
}
