package kvasir.transport;

import java.io.IOException;

/** Says that a server answered, and has not what was asked for: asking again is of no use. */
public final class RefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  public RefusedException(String message) {
    super(message);
  }
}
