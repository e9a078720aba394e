package kvasir.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import kvasir.LocalJobs;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordsTest {
  private static void write(Path tmp, Path file, String... pairs) throws Exception {
    try (SequenceFile.Writer writer =
        SequenceFile.createWriter(
            LocalJobs.conf(tmp),
            SequenceFile.Writer.file(new org.apache.hadoop.fs.Path(file.toString())),
            SequenceFile.Writer.keyClass(Text.class),
            SequenceFile.Writer.valueClass(Text.class))) {
      for (int i = 0; i < pairs.length; i += 2) {
        writer.append(new Text(pairs[i]), new Text(pairs[i + 1]));
      }
    }
  }

  private static String field(String json, String name) {
    Matcher matcher = Pattern.compile("\"" + name + "\":(\\{[^}]*\\}|[^,}]*)").matcher(json);
    return matcher.find() ? matcher.group(1) : "";
  }

  @Test
  void checksumIgnoresOrderButNotPairing(@TempDir Path tmp) throws Exception {
    write(tmp, tmp.resolve("a/part-0"), "k1", "v1", "k2", "v2", "k1", "v3");
    write(tmp, tmp.resolve("b/part-0"), "k1", "v3", "k1", "v1");
    write(tmp, tmp.resolve("b/part-1"), "k2", "v2");
    write(tmp, tmp.resolve("c/part-0"), "k1", "v2", "k2", "v1", "k1", "v3");
    String a = LocalJobs.printed(new Records(), tmp, tmp.resolve("a"));
    String b = LocalJobs.printed(new Records(), tmp, tmp.resolve("b"));
    String c = LocalJobs.printed(new Records(), tmp, tmp.resolve("c"));
    assertEquals(field(a, "checksum"), field(b, "checksum"));
    assertNotEquals(field(a, "checksum"), field(c, "checksum"));
    assertEquals("1", field(a, "disorder"));
    assertEquals("0", field(b, "disorder"));
    assertEquals("3", field(b, "records"));
  }

  @Test
  void placesAreThoseOfHadoopsPartitioner(@TempDir Path tmp) throws Exception {
    int part = (new Text("k").hashCode() & Integer.MAX_VALUE) % 2;
    write(tmp, tmp.resolve("a/part-" + part), "k", "v");
    write(tmp, tmp.resolve("a/part-" + (1 - part)), "k", "v");
    assertEquals("1", field(LocalJobs.printed(new Records(), tmp, tmp.resolve("a")), "misplaced"));
  }

  @Test
  void wordsAndMatchesOfValues(@TempDir Path tmp) throws Exception {
    write(tmp, tmp.resolve("a/part-0"), "x", "to be or", "x", "not to  \"be\"");
    String json = LocalJobs.printed(new Records(), tmp, tmp.resolve("a"), "[bn]\\w");
    assertEquals("{\"\\\"be\\\"\":1,\"be\":1,\"not\":1,\"or\":1,\"to\":2}", field(json, "words"));
    assertEquals("{\"be\":2,\"no\":1}", field(json, "matches"));
  }
}
