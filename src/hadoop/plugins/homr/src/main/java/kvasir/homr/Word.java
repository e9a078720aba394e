package kvasir.homr;

import java.io.IOException;

/** Tells the thread of {@link Copier} of something that has happened. */
interface Word {
  /** Does what follows from it. */
  void take() throws IOException;
}
