package kvasir.homr;

import org.apache.hadoop.mapred.TaskAttemptID;

/** Map whose output is wanted. Used by the thread of {@link Copier}. */
final class Source {
  /** The latest attempt that has succeeded, null when its output is gone. */
  TaskAttemptID attempt;

  /** Where the shuffle of its host is. */
  String url;

  /** How often its output could not be had. */
  int failed;

  /** What comes or has come of it, null when nothing does or it was given to a merge. */
  Incoming output;

  /** Whether the first bytes are here. */
  boolean begun;

  /** Whether all bytes are here and right. */
  boolean checked;

  /** Whether its records are in a run or on the way to one. */
  boolean merged;

  /** Whether there will be no output. */
  boolean given;

  /** Returns whether all of it is here: it stays right when the server is lost. */
  boolean isSafe() {
    return merged || output != null && output.isWhole();
  }
}
