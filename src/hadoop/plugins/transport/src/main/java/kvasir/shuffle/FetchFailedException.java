package kvasir.shuffle;

import java.io.IOException;

/** Says that the rest of a map output could not be fetched. */
public final class FetchFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Says why. */
  public FetchFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
