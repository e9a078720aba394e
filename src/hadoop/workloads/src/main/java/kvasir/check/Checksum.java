package kvasir.check;

import kvasir.Randoms;
import org.apache.hadoop.io.Text;

/** Number of lines and a checksum of them that does not depend on their order. */
final class Checksum {
  private final Text text = new Text();
  private long lines;
  private long sum;

  void add(String line) {
    text.set(line);
    lines++;
    sum += Randoms.mix(Records.hash(text, 0));
  }

  Json json() {
    return new Json().put("lines", lines).put("checksum", sum);
  }
}
