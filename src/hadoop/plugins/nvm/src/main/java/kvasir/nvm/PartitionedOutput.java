package kvasir.nvm;

import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;

/** Takes sorted records, partition after partition. */
interface PartitionedOutput {
  /** Begins a partition. */
  void begin(int partition) throws IOException;

  /** Appends a record to it. */
  void append(DataInputBuffer key, DataInputBuffer value) throws IOException;

  /** Ends the partition. */
  void end() throws IOException;
}
