package kvasir.nvm;

import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.util.Progressable;

/** Serialises the records that a combiner makes of a partition and appends them to it. */
final class CombinedOutput<K, V> implements OutputCollector<K, V> {
  private final PartitionedOutput output;
  private final Counters.Counter records;
  private final Progressable reporter;
  private final DataOutputBuffer bytes = new DataOutputBuffer();
  private final DataInputBuffer keyBytes = new DataInputBuffer();
  private final DataInputBuffer valueBytes = new DataInputBuffer();
  private final Serializer<K> keys;
  private final Serializer<V> values;

  /**
   * Begins a partition's records.
   *
   * @param records counts them
   * @param reporter hears of each that the map is alive
   */
  CombinedOutput(
      JobConf job,
      Class<K> keyClass,
      Class<V> valueClass,
      PartitionedOutput output,
      Counters.Counter records,
      Progressable reporter)
      throws IOException {
    this.output = output;
    this.records = records;
    this.reporter = reporter;
    SerializationFactory serializations = new SerializationFactory(job);
    keys = serializations.getSerializer(keyClass);
    keys.open(bytes);
    values = serializations.getSerializer(valueClass);
    values.open(bytes);
  }

  @Override
  public void collect(K key, V value) throws IOException {
    bytes.reset();
    keys.serialize(key);
    int keyLength = bytes.getLength();
    values.serialize(value);
    keyBytes.reset(bytes.getData(), 0, keyLength);
    valueBytes.reset(bytes.getData(), keyLength, bytes.getLength() - keyLength);
    output.append(keyBytes, valueBytes);
    records.increment(1);
    reporter.progress();
  }
}
