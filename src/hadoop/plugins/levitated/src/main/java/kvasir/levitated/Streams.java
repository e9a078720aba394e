package kvasir.levitated;

import kvasir.transport.Buffers;
import kvasir.transport.MapOutputClient;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.util.Progressable;

/** Holds what all map outputs of a reduce task are read with. */
final class Streams {
  /** Tries again what fails. */
  final MapOutputClient client;

  final Buffers buffers;

  /** Pieces of an output that are fetched before they are merged, at most. */
  final int ahead;

  /** Is told of the work while an output is waited for. */
  final Progressable progress;

  /** Counts bytes that were fetched and used. */
  final Counters.Counter bytes;

  Streams(
      MapOutputClient client,
      Buffers buffers,
      int ahead,
      Progressable progress,
      Counters.Counter bytes) {
    this.client = client;
    this.buffers = buffers;
    this.ahead = ahead;
    this.progress = progress;
    this.bytes = bytes;
  }
}
