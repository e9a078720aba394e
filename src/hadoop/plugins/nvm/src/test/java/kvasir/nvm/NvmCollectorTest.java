package kvasir.nvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.BZip2Codec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.RunningJob;
import org.apache.hadoop.mapred.lib.LongSumReducer;
import org.apache.hadoop.mapred.lib.TokenCountMapper;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.util.HeapSort;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

class NvmCollectorTest {
  /** Makes local directories where the classes are built: many a /tmp is in memory. */
  static final class BuildFolder implements TempDirFactory {
    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
        throws Exception {
      Path classes =
          Paths.get(
              NvmCollectorTest.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      return Files.createTempDirectory(classes.getParent(), "local-");
    }
  }

  @TempDir(factory = BuildFolder.class)
  Path tmp;

  private Path memory;

  @BeforeEach
  void makeFolderInMemory() throws IOException {
    memory = Files.createTempDirectory(Paths.get("/dev/shm"), "kvasir-nvm-test");
  }

  @AfterEach
  void findNothingButTheDevice() throws IOException {
    try (Stream<Path> files = Files.list(memory)) {
      for (Path file : files.collect(Collectors.toList())) {
        assertTrue(file.toString().endsWith(".device"), file + " was left behind");
        Files.delete(file);
      }
    }
    Files.delete(memory);
  }

  private Configuration conf(Class<?> collector) {
    Configuration conf = RandomJob.conf(tmp, collector);
    conf.set(NvmSettings.DIR, memory.toString());
    return conf;
  }

  private static List<String> lines(Path folder) throws IOException {
    List<String> lines = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.sorted().collect(Collectors.toList())) {
        if (file.getFileName().toString().startsWith("part-")) {
          lines.add("-- " + file.getFileName());
          lines.addAll(Files.readAllLines(file, StandardCharsets.UTF_8));
        }
      }
    }
    return lines;
  }

  private static long count(Counters counters, Enum<?> name) {
    return counters.findCounter(name).getValue();
  }

  /** Chooses what a job is like, from a seed. */
  private static void choose(Configuration conf, long seed) {
    Random random = new Random(seed);
    conf.setLong(RandomJob.SEED, seed);
    conf.setInt(RandomJob.MAPS, 1 + random.nextInt(2));
    conf.setInt(RandomJob.LONGEST_KEY, 1 + random.nextInt(30));
    int longest = 1 << random.nextInt(12);
    conf.setInt(RandomJob.LONGEST_VALUE, longest);
    conf.setInt(RandomJob.RECORDS, Math.min(40_000, 2 + random.nextInt(3_000_000) / (longest + 8)));
    if (random.nextInt(3) == 0) {
      conf.setInt(RandomJob.LARGE_VALUE, 100_000 + random.nextInt(2_500_000));
    }
    conf.setInt("mapreduce.job.reduces", random.nextInt(4) == 0 ? 1 : 1 + random.nextInt(12));
    conf.setInt("mapreduce.task.io.sort.mb", 1 + random.nextInt(2));
    conf.setFloat("mapreduce.map.sort.spill.percent", 0.05f + 0.95f * random.nextFloat());
    conf.setInt("mapreduce.map.combine.minspills", 1 + random.nextInt(4));
    conf.setInt("mapreduce.task.io.sort.factor", 2 + random.nextInt(4));
    if (random.nextInt(3) == 0) {
      conf.setClass("map.sort.class", HeapSort.class, Object.class);
    }
    List<Class<?>> codecs = Arrays.asList(DefaultCodec.class, GzipCodec.class, BZip2Codec.class);
    if (seed % 4 != 1) {
      conf.setBoolean("mapreduce.map.output.compress", true);
      Class<?> codec = codecs.get((int) (seed % 4) % 3);
      conf.setClass("mapreduce.map.output.compress.codec", codec, Object.class);
    }
    conf.setInt(NvmSettings.MAPPING, 1);
  }

  private Counters run(Class<?> collector, long seed, Path output) throws Exception {
    Configuration conf = conf(collector);
    choose(conf, seed);
    Job job = RandomJob.job(conf, output);
    if (seed % 2 == 0) {
      job.setCombinerClass(RandomJob.Combine.class);
    }
    if (seed % 3 == 0) {
      job.setSortComparatorClass(RandomJob.Backwards.class);
      job.setGroupingComparatorClass(RandomJob.ByFirst.class);
      if (seed % 2 == 0) {
        job.setCombinerKeyGroupingComparatorClass(RandomJob.Backwards.class);
      }
    }
    assertTrue(job.waitForCompletion(false), "seed " + seed);
    return job.getCounters();
  }

  @Test
  void randomJobsHaveTheOutputOfHadoopsOwnCollector() throws Exception {
    long spills = 0;
    // More of them by hand: mvn -Dkvasir.test.seeds=100.
    long seeds = Long.getLong("kvasir.test.seeds", 4);
    for (long seed = 1; seed <= seeds; seed++) {
      Counters stock = run(MapTask.MapOutputBuffer.class, seed, tmp.resolve("stock" + seed));
      Counters own = run(NvmCollector.class, seed, tmp.resolve("own" + seed));
      assertEquals(
          lines(tmp.resolve("stock" + seed)), lines(tmp.resolve("own" + seed)), "seed " + seed);
      for (TaskCounter same :
          Arrays.asList(TaskCounter.MAP_OUTPUT_RECORDS, TaskCounter.REDUCE_INPUT_GROUPS)) {
        assertEquals(count(stock, same), count(own, same), same + ", seed " + seed);
      }
      long bytes = count(own, RandomJob.Made.BYTES);
      assertEquals(bytes, count(stock, RandomJob.Made.BYTES), "seed " + seed);
      assertEquals(bytes, count(own, TaskCounter.MAP_OUTPUT_BYTES), "seed " + seed);
      spills += count(own, NvmCount.SPILLS);
    }
    assertTrue(spills > 3 * seeds, spills + " spills: the jobs are too small to tell");
  }

  @Test
  void jobsOfTheOldInterfaceRun() throws Exception {
    Path input = tmp.resolve("words");
    List<String> words = new ArrayList<>();
    for (int i = 0; i < 60_000; i++) {
      words.add("word" + i % 777 + " and " + i % 10);
    }
    Files.write(input, words, StandardCharsets.UTF_8);
    List<List<String>> outputs = new ArrayList<>();
    for (Class<?> collector : Arrays.asList(MapTask.MapOutputBuffer.class, NvmCollector.class)) {
      JobConf job = new JobConf(conf(collector));
      job.setMapperClass(TokenCountMapper.class);
      job.setCombinerClass(LongSumReducer.class);
      job.setReducerClass(LongSumReducer.class);
      job.setOutputKeyClass(Text.class);
      job.setOutputValueClass(LongWritable.class);
      Path output = tmp.resolve(collector.getSimpleName());
      org.apache.hadoop.mapred.FileInputFormat.setInputPaths(job, input.toString());
      org.apache.hadoop.mapred.FileOutputFormat.setOutputPath(
          job, new org.apache.hadoop.fs.Path(output.toUri()));
      RunningJob done = JobClient.runJob(job);
      assertTrue(done.isSuccessful());
      outputs.add(lines(output));
    }
    assertEquals(outputs.get(0), outputs.get(1));
    assertEquals(3 + 777 + 10 + 1, outputs.get(0).size());
  }

  @Test
  void nothingIsSpilledToTheDisk() throws Exception {
    Configuration conf = conf(NvmCollector.class);
    conf.setInt(RandomJob.RECORDS, 60_000);
    conf.setInt(RandomJob.LONGEST_VALUE, 200);
    // Many spills of two tenths of the buffer, and a low factor: Hadoop's own would merge in
    // passes.
    conf.setInt("mapreduce.task.io.sort.factor", 2);
    Job own = RandomJob.job(conf, tmp.resolve("own"));
    assertTrue(own.waitForCompletion(false));
    Counters counters = own.getCounters();
    assertTrue(count(counters, NvmCount.SPILLS) > 5);
    assertEquals(count(counters, NvmCount.REGION_BYTES), count(counters, NvmCount.WRITTEN_BYTES));
    assertEquals(count(counters, NvmCount.REGION_BYTES), count(counters, NvmCount.READ_BYTES));
    long output = count(counters, StageCount.OUTPUT_BYTES);
    assertTrue(output > 5_000_000, output + " bytes");

    conf.setClass("mapreduce.job.map.output.collector.class", StockCollector.class, Object.class);
    Job stock = RandomJob.job(conf, tmp.resolve("stock"));
    assertTrue(stock.waitForCompletion(false));
    long stockSpills = count(stock.getCounters(), StageCount.DISK_SPILL_BYTES);
    assumeTrue(stockSpills > output / 2, "the kernel counts no bytes to a disk: " + tmp);
    long ownSpills = count(counters, StageCount.DISK_SPILL_BYTES);
    assertTrue(ownSpills < 200_000, ownSpills + " bytes of " + output + " on the disk");
    long rest = count(counters, StageCount.DISK_WRITE_BYTES) - ownSpills - output;
    assertTrue(rest < 200_000, rest + " bytes more than the output of " + output);
  }

  @Test
  void outputMayBeInMemoryToo() throws Exception {
    Configuration conf = conf(NvmCollector.class);
    conf.setInt(RandomJob.RECORDS, 60_000);
    conf.set(NvmSettings.OUTPUT, "memory");
    Job nobodys = RandomJob.job(conf, tmp.resolve("nobodys"));
    assertFalse(nobodys.waitForCompletion(false), "nobody would remove the output");

    OutputService service = new OutputService();
    service.init(conf);
    service.start();
    try {
      Job own = RandomJob.job(conf, tmp.resolve("own"));
      assertTrue(own.waitForCompletion(false));
      Counters counters = own.getCounters();
      long output = count(counters, StageCount.OUTPUT_BYTES);
      assertTrue(output > 3_000_000, output + " bytes");
      assertEquals(
          count(counters, NvmCount.REGION_BYTES) + output, count(counters, NvmCount.WRITTEN_BYTES));
      assertTrue(count(counters, StageCount.DISK_WRITE_BYTES) < 200_000);
      conf.setClass(
          "mapreduce.job.map.output.collector.class", MapTask.MapOutputBuffer.class, Object.class);
      Job stock = RandomJob.job(conf, tmp.resolve("stock"));
      assertTrue(stock.waitForCompletion(false));
      assertEquals(lines(tmp.resolve("stock")), lines(tmp.resolve("own")));

      Path folder = Outputs.folder(memory);
      String application = own.getJobID().toString().replaceFirst("^job", "application");
      assertTrue(Files.isDirectory(folder.resolve(application)));
      Outputs.remove(memory, application);
      Outputs.remove(memory, "application_of_others");
      assertFalse(Files.exists(folder.resolve(application)));
      Files.createDirectories(folder.resolve("application_left"));
    } finally {
      service.stop();
    }
    assertFalse(Files.exists(Outputs.folder(memory)));
  }

  @Test
  void fullRegionFailsTheJob() throws Exception {
    Configuration conf = conf(NvmCollector.class);
    conf.setInt(RandomJob.RECORDS, 40_000);
    conf.setInt(NvmSettings.CAPACITY, 2);
    Job job = RandomJob.job(conf, tmp.resolve("out"));
    assertFalse(job.waitForCompletion(false));
  }

  @Test
  void folderOnADiskIsRefused() throws Exception {
    Path disk = Files.createDirectory(tmp.resolve("disk"));
    assumeTrue(!Kernel.notMemory(disk).isEmpty(), tmp + " is in memory");
    Configuration conf = conf(NvmCollector.class);
    conf.set(NvmSettings.DIR, disk.toString());
    Job job = RandomJob.job(conf, tmp.resolve("out"));
    assertFalse(job.waitForCompletion(false));
  }

  @Test
  void stagesAddUpToTheMapsTime() throws Exception {
    for (Class<?> collector : Arrays.asList(NvmCollector.class, StockCollector.class)) {
      Configuration conf = conf(collector);
      conf.setInt(RandomJob.READ_MS, 300);
      conf.setInt(RandomJob.MAP_MS, 400);
      conf.setInt(RandomJob.RECORDS, 40_000);
      Job job = RandomJob.job(conf, tmp.resolve(collector.getSimpleName()));
      assertTrue(job.waitForCompletion(false));
      Counters counters = job.getCounters();
      long sum = 0;
      for (StageCount stage :
          Arrays.asList(
              StageCount.READ_NS,
              StageCount.MAP_NS,
              StageCount.COLLECT_NS,
              StageCount.SPILL_NS,
              StageCount.MERGE_NS)) {
        assertTrue(count(counters, stage) > 0, stage + " of " + collector);
        sum += count(counters, stage);
      }
      double total = count(counters, StageCount.TOTAL_NS);
      assertEquals(1, sum / total, 0.05, collector.toString());
      assertTrue(count(counters, StageCount.READ_NS) > 250_000_000, collector.toString());
      assertTrue(count(counters, StageCount.MAP_NS) > 350_000_000, collector.toString());
      assertTrue(count(counters, StageCount.SPILL_THREAD_NS) > 0, collector.toString());
    }
  }

  @Test
  void askedDelaysAreCounted() throws Exception {
    Configuration conf = conf(NvmCollector.class);
    conf.setInt(RandomJob.RECORDS, 40_000);
    conf.setInt(NvmSettings.WRITE + NvmSettings.TIMES, 10);
    conf.setInt(NvmSettings.DRAM, 1000);
    Job job = RandomJob.job(conf, tmp.resolve("out"));
    assertTrue(job.waitForCompletion(false));
    Counters counters = job.getCounters();
    long asked = count(counters, NvmCount.WRITE_ASKED_NS);
    assertEquals(9.0, (double) asked / count(counters, NvmCount.WRITTEN_BYTES), 1e-6);
    assertTrue(count(counters, NvmCount.WRITE_GOT_NS) > 0.98 * asked);
    assertEquals(0, count(counters, NvmCount.READ_ASKED_NS));
  }
}
