package kvasir.nvm;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.Merger;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapreduce.CryptoUtils;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.util.IndexedSorter;
import org.apache.hadoop.util.Progress;
import org.apache.hadoop.util.QuickSort;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * Map output collector whose spills are in byte-addressable memory and are merged from there, after
 * "Can Non-Volatile Memory Benefit MapReduce Applications on HPC Clusters?". Only the merged
 * output, which shuffles serve and which must outlive the task, is written to the local directory.
 * Everything else is as in Hadoop's own collector: its properties for buffer, sort, combiner and
 * codec mean the same.
 */
public final class NvmCollector<K, V> implements MapOutputCollector<K, V> {
  private static final int COMBINE_FROM = 3;

  /** Records between two signs of life to the application master, which ends silent tasks. */
  private static final int PROGRESS_RECORDS = 10_000;

  private JobConf job;
  private MapTask task;
  private Task.TaskReporter reporter;
  private Stages stages;
  private int partitions;
  private Class<K> keyClass;
  private Class<V> valueClass;
  private Serializer<K> keys;
  private Serializer<V> values;
  private RawComparator<K> comparator;
  private IndexedSorter sorter;
  private CompressionCodec codec;
  private Task.CombinerRunner<K, V> combiner;
  private Counters.Counter outputRecords;
  private Counters.Counter outputBytes;
  private Counters.Counter outputFileBytes;
  private Counters.Counter combined;
  private Counters.Counter spilled;

  private Pages pages;
  private int soft;
  private Records records;
  private Cursor cursor;
  private Spiller spiller;
  private NvmSettings settings;
  private Device device;
  private Region region;
  private final List<Spill> spills = new ArrayList<>();

  @Override
  public void init(Context context) throws IOException, ClassNotFoundException {
    job = context.getJobConf();
    task = context.getMapTask();
    reporter = context.getReporter();
    stages = new Stages(reporter, null);
    boolean ready = false;
    try {
      open();
      ready = true;
    } finally {
      if (!ready) {
        close();
      }
    }
    stages.initialised();
  }

  @SuppressWarnings("unchecked")
  private void open() throws IOException, ClassNotFoundException {
    if (CryptoUtils.isEncryptedSpillEnabled(job)) {
      throw new IOException(
          MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA
              + ": kvasir.nvm.NvmCollector does not encrypt: turn it off or use Hadoop's own collector");
    }
    partitions = job.getNumReduceTasks();
    int mb = job.getInt(JobContext.IO_SORT_MB, 100);
    if (mb < 1 || mb > 2047) {
      throw new IOException(JobContext.IO_SORT_MB + ": found " + mb + ", expected 1 to 2047");
    }
    float percent = job.getFloat(JobContext.MAP_SORT_SPILL_PERCENT, 0.8f);
    if (!(percent > 0 && percent <= 1)) {
      throw new IOException(
          JobContext.MAP_SORT_SPILL_PERCENT
              + ": found "
              + percent
              + ", expected more than 0, at most 1");
    }
    pages = new Pages((long) mb << 20);
    cursor = new Cursor(pages.size());
    soft = Math.max(1, (int) (pages.total() * percent));
    keyClass = (Class<K>) job.getMapOutputKeyClass();
    valueClass = (Class<V>) job.getMapOutputValueClass();
    comparator = job.getOutputKeyComparator();
    Class<? extends IndexedSorter> sort =
        job.getClass("map.sort.class", QuickSort.class, IndexedSorter.class);
    sorter = ReflectionUtils.newInstance(sort, job);
    SerializationFactory serializations = new SerializationFactory(job);
    keys = serializations.getSerializer(keyClass);
    keys.open(cursor);
    values = serializations.getSerializer(valueClass);
    values.open(cursor);
    if (job.getCompressMapOutput()) {
      codec = ReflectionUtils.newInstance(job.getMapOutputCompressorClass(DefaultCodec.class), job);
    }
    combiner =
        Task.CombinerRunner.create(
            job,
            task.getTaskID(),
            reporter.getCounter(TaskCounter.COMBINE_INPUT_RECORDS),
            reporter,
            null);
    outputRecords = reporter.getCounter(TaskCounter.MAP_OUTPUT_RECORDS);
    outputBytes = reporter.getCounter(TaskCounter.MAP_OUTPUT_BYTES);
    outputFileBytes = reporter.getCounter(TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES);
    combined = reporter.getCounter(TaskCounter.COMBINE_OUTPUT_RECORDS);
    spilled = reporter.getCounter(TaskCounter.SPILLED_RECORDS);
    settings = new NvmSettings(job);
    region = new Region(settings.dir, settings.mapping, settings.capacity);
    String reason = Kernel.notMemory(settings.dir);
    if (!reason.isEmpty()) {
      throw new IOException(
          NvmSettings.DIR + ": " + settings.dir + " " + reason + ": name a folder of tmpfs or DAX");
    }
    device = new Device(settings);
    records = new Records(pages, comparator);
    spiller = new Spiller(task.getTaskID().toString(), this::spill);
    spiller.start();
  }

  @Override
  public synchronized void collect(K key, V value, int partition)
      throws IOException, InterruptedException {
    if (key.getClass() != keyClass) {
      throw mismatch("key", keyClass, key.getClass());
    }
    if (value.getClass() != valueClass) {
      throw mismatch("value", valueClass, value.getClass());
    }
    if (partition < 0 || partition >= partitions) {
      throw new IOException(
          "Illegal partition for " + key + " (" + partition + "): there are " + partitions);
    }
    reporter.progress();
    cursor.begin(records);
    keys.serialize(key);
    int keyLength = cursor.length();
    values.serialize(value);
    int length = cursor.length();
    if (records.needs(length) > 0) {
      makeRoom(partition, keyLength, length - keyLength);
    } else {
      records.add(partition, cursor.bytes(), keyLength, length - keyLength);
    }
    outputRecords.increment(1);
    outputBytes.increment(length);
  }

  /** Adds a record that needs more pages, after a spill if there are none. */
  private void makeRoom(int partition, int keyLength, int valueLength)
      throws IOException, InterruptedException {
    int length = keyLength + valueLength;
    if (pages.take(records.needs(length))) {
      records.add(partition, cursor.bytes(), keyLength, valueLength);
      if (pages.used() >= soft && !spiller.busy()) {
        handOver();
      }
      return;
    }
    // Pages of records that are handed over are used for others soon.
    byte[] bytes = cursor.kept();
    while (!pages.take(records.needs(length))) {
      if (spiller.busy()) {
        spiller.await();
      } else if (records.count() > 0) {
        handOver();
      } else {
        // Larger than the whole buffer.
        spiller.spill(Records.alone(pages, comparator, partition, bytes, keyLength, valueLength));
        spiller.await();
        return;
      }
    }
    records.add(partition, bytes, keyLength, valueLength);
  }

  private void handOver() throws IOException {
    Records full = records;
    records = new Records(pages, comparator);
    spiller.spill(full);
  }

  private static IOException mismatch(String what, Class<?> expected, Class<?> found) {
    return new IOException(
        String.format(
            "Type mismatch in %s from map: expected %s, received %s",
            what, expected.getName(), found.getName()));
  }

  /** Sorts records and writes them to the region, in the spiller's thread. */
  private void spill(Records full)
      throws IOException, InterruptedException, ClassNotFoundException {
    SpillWriter writer = new SpillWriter(region, device.writes, codec, partitions, spilled);
    try {
      sortInto(full, writer);
      spills.add(writer.finish());
    } finally {
      writer.release();
    }
  }

  private void sortInto(Records full, PartitionedOutput output)
      throws IOException, InterruptedException, ClassNotFoundException {
    sorter.sort(full, 0, full.count(), reporter);
    int start = 0;
    for (int partition = 0; partition < partitions; partition++) {
      if (Thread.interrupted()) {
        throw new InterruptedException("the map was ended while it spilled");
      }
      int end = full.end(partition, start);
      output.begin(partition);
      if (start < end) {
        write(full.range(start, end), output, combiner != null);
      }
      output.end();
      start = end;
      reporter.progress();
    }
  }

  private void write(RawKeyValueIterator sorted, PartitionedOutput output, boolean combine)
      throws IOException, InterruptedException, ClassNotFoundException {
    if (combine) {
      combiner.combine(
          sorted, new CombinedOutput<>(job, keyClass, valueClass, output, combined, reporter));
      return;
    }
    for (long records = 1; sorted.next(); records++) {
      output.append(sorted.getKey(), sorted.getValue());
      if (records % PROGRESS_RECORDS == 0) {
        reporter.progress();
      }
    }
  }

  @Override
  public void flush() throws IOException, InterruptedException, ClassNotFoundException {
    stages.flushing();
    spiller.await();
    long length;
    if (spills.isEmpty()) {
      // All fits the buffer: the output is written once, as Hadoop's own collector does it.
      stages.outputBegins();
      try (OutputFile<K, V> output = output(records.bytes())) {
        sortInto(records, output);
        stages.spilled();
        length = output.finish();
      }
    } else {
      if (records.count() > 0) {
        handOver();
        spiller.await();
      }
      spiller.end();
      stages.spilled();
      try (OutputFile<K, V> output = output(region.length())) {
        for (int partition = 0; partition < partitions; partition++) {
          output.begin(partition);
          merge(partition, output);
          output.end();
          reporter.progress();
        }
        length = output.finish();
      }
      device.reads.settle();
    }
    outputFileBytes.increment(length);
    stages.merged(length, spiller.busyNanoseconds());
    reporter.incrCounter(NvmCount.SPILLS, spills.size());
    reporter.incrCounter(NvmCount.REGION_BYTES, region.length());
    device.report(reporter);
  }

  private OutputFile<K, V> output(long bytes) throws IOException {
    java.nio.file.Path memory =
        settings.output
            ? Outputs.make(settings.dir, task.getJobID(), task.getTaskID().toString())
            : null;
    return new OutputFile<>(
        job, task.getMapOutputFile(), partitions, bytes, codec, spilled, memory, device.writes);
  }

  private void merge(int partition, PartitionedOutput output)
      throws IOException, InterruptedException, ClassNotFoundException {
    List<Merger.Segment<K, V>> segments = new ArrayList<>();
    for (Spill spill : spills) {
      if (spill.records(partition) > 0) {
        SpillReader<K, V> reader =
            new SpillReader<>(job, region, device.reads, spill, partition, codec);
        segments.add(new Merger.Segment<>(reader, true));
      }
    }
    if (segments.isEmpty()) {
      return;
    }
    // All at once: a merge in several passes would have files on the local directory between them.
    FileSystem disk = FileSystem.getLocal(job).getRaw();
    Path unused = new Path(task.getTaskID().toString());
    int all = Math.max(2, segments.size());
    RawKeyValueIterator merged =
        Merger.merge(
            job,
            disk,
            keyClass,
            valueClass,
            segments,
            all,
            unused,
            comparator,
            reporter,
            null,
            null,
            new Progress());
    boolean combine =
        combiner != null
            && spills.size() >= job.getInt(JobContext.MAP_COMBINE_MIN_SPILLS, COMBINE_FROM);
    write(merged, output, combine);
  }

  @Override
  public void close() throws IOException {
    if (spiller != null) {
      spiller.end();
    }
    stages.end();
    try {
      if (region != null) {
        region.close();
      }
    } finally {
      if (device != null) {
        device.close();
      }
    }
  }
}
