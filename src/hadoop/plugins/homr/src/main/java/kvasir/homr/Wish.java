package kvasir.homr;

/** Describes what could be fetched of a map output at some moment. */
final class Wish {
  /** Of the map. */
  final int number;

  final Object server;

  /** Bytes that the server gives in a second, 0 when nothing is known. */
  final double rate;

  /** Whether the output's first bytes are here, so that its length is known. */
  final boolean begun;

  /** Bytes that were not asked for. */
  final long rest;

  /** Bytes that the merge will read and that are here or asked for. */
  final long held;

  /** Whether an answer is awaited; there is one at a time. */
  final boolean asking;

  /** Whether memory for all of it is promised. */
  final boolean admitted;

  private Wish(
      int number,
      Object server,
      double rate,
      boolean begun,
      long rest,
      long held,
      boolean asking,
      boolean admitted) {
    this.number = number;
    this.server = server;
    this.rate = rate;
    this.begun = begun;
    this.rest = rest;
    this.held = held;
    this.asking = asking;
    this.admitted = admitted;
  }

  /** Describes an output of which nothing is here. */
  static Wish ofHead(int number, Object server, boolean asking) {
    return new Wish(number, server, 0, false, 0, 0, asking, false);
  }

  /** Describes an output of which the first bytes are here. */
  static Wish ofRest(
      int number,
      Object server,
      double rate,
      long rest,
      long held,
      boolean asking,
      boolean admitted) {
    return new Wish(number, server, rate, true, rest, held, asking, admitted);
  }

  /** Returns the bytes that the merge has yet to read. */
  long left() {
    return held + rest;
  }
}
