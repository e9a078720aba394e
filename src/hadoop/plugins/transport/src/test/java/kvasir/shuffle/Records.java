package kvasir.shuffle;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.RawKeyValueIterator;

/** Makes and reads records of tests. */
public final class Records {
  private Records() {}

  /** Returns sorted keys, some of them long. */
  public static List<String> keys(Random random, int count) {
    List<String> made = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      char[] letters = new char[1 + random.nextInt(random.nextInt(20) == 0 ? 6000 : 30)];
      Arrays.fill(letters, (char) ('a' + random.nextInt(26)));
      made.add(random.nextInt(1000) + new String(letters));
    }
    Collections.sort(made);
    return made;
  }

  /** Returns the text in a buffer. */
  public static String text(DataInputBuffer buffer) throws IOException {
    Text found = new Text();
    DataInputBuffer copy = new DataInputBuffer();
    copy.reset(buffer.getData(), buffer.getPosition(), buffer.getLength());
    found.readFields(copy);
    return found.toString();
  }

  /**
   * Returns the keys that are left.
   *
   * @throws IllegalStateException when a key does not have its value, see {@link MapOutputs}
   */
  public static List<String> rest(RawKeyValueIterator records) throws IOException {
    List<String> found = new ArrayList<>();
    while (records.next()) {
      String key = text(records.getKey());
      String value = text(records.getValue());
      if (!value.equals(key + "!")) {
        throw new IllegalStateException(key + " has " + value);
      }
      found.add(key);
    }
    return found;
  }
}
