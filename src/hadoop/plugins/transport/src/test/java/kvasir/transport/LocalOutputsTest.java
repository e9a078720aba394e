package kvasir.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.IndexRecord;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.SpillRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

public class LocalOutputsTest {
  public static final String MAP = "attempt_12_0003_m_000001_0";

  @TempDir Path folder;
  private final Jobs.Job job =
      new Jobs.Job("job_12_0003", "application_12_0003", "me", new byte[] {1});

  private LocalOutputs outputs() {
    Configuration conf = new Configuration();
    conf.set("yarn.nodemanager.local-dirs", folder.resolve("a") + "," + folder.resolve("b"));
    return new LocalOutputs(conf);
  }

  private Path store() throws IOException {
    return store(folder);
  }

  /** Stores an output for two reduces in the second of two local folders, as a map does. */
  public static Path store(Path folder) throws IOException {
    Path place = folder.resolve("b/usercache/me/appcache/application_12_0003/output").resolve(MAP);
    Files.createDirectories(place);
    Files.createDirectories(folder.resolve("a"));
    Files.write(place.resolve("file.out"), new byte[] {1, 2, 3, 4, 5, 6, 7});
    SpillRecord index = new SpillRecord(2);
    index.putIndex(new IndexRecord(0, 9, 3), 0);
    index.putIndex(new IndexRecord(3, 11, 4), 1);
    index.writeToFile(
        new org.apache.hadoop.fs.Path(place.resolve("file.out.index").toString()), new JobConf());
    return place;
  }

  @Test
  void outputIsFoundByItsIndex() throws IOException {
    Path place = store();
    LocalOutputs outputs = outputs();
    MapOutput second = new MapOutput(MAP, 1);
    Outputs.Range range = outputs.find(job, second);
    assertEquals(3, range.start());
    assertEquals(4, range.length());
    assertEquals(11, range.rawLength());
    ByteArrayOutputStream first = new ByteArrayOutputStream();
    try (Outputs.Source file = outputs.open(job, second)) {
      assertEquals(1, file.transferTo(range.start(), 1, Channels.newChannel(first)));
    }
    assertArrayEquals(new byte[] {4}, first.toByteArray());
    // The index is remembered until the job is over.
    Files.delete(place.resolve("file.out.index"));
    assertEquals(3, outputs.find(job, second).start());
    outputs.forget(job.id());
    assertThrows(RefusedException.class, () -> outputs.find(job, second));
  }

  @Test
  void nothingElseIsFound() throws IOException {
    store();
    LocalOutputs outputs = outputs();
    for (String other :
        new String[] {
          "attempt_12_0003_m_000002_0",
          "attempt_12_0004_m_000001_0",
          "attempt_12_0003_r_000001_0",
          "attempt_12_0003_m_1_0",
          "../output/" + MAP,
          MAP + "/../" + MAP,
          "",
          "x"
        }) {
      MapOutput output = new MapOutput(other, 0);
      assertThrows(RefusedException.class, () -> outputs.find(job, output), other);
      assertThrows(RefusedException.class, () -> outputs.open(job, output), other);
    }
    for (int reduce : new int[] {-1, 2, Integer.MAX_VALUE}) {
      MapOutput output = new MapOutput(MAP, reduce);
      assertThrows(RefusedException.class, () -> outputs.find(job, output));
    }
  }

  @Test
  void damagedIndexIsAnError() throws IOException {
    Path place = store();
    byte[] index = Files.readAllBytes(place.resolve("file.out.index"));
    index[5] ^= 1;
    Files.write(place.resolve("file.out.index"), index);
    Files.deleteIfExists(place.resolve(".file.out.index.crc"));
    assertThrows(IOException.class, () -> outputs().find(job, new MapOutput(MAP, 0)));
  }
}
