package kvasir.rdma;

import kvasir.transport.MapOutputClient;

/** Names the clients of a reduce task. */
final class Clients {
  /** Tries once: whoever asks for the first bytes of an output decides what a failure means. */
  final MapOutputClient once;

  /** Tries again. */
  final MapOutputClient retrying;

  Clients(MapOutputClient once, MapOutputClient retrying) {
    this.once = once;
    this.retrying = retrying;
  }
}
