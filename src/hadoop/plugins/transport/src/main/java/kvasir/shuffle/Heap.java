package kvasir.shuffle;

/** Tells when the heap is full. Used by one thread at a time. */
public interface Heap {
  /** Returns whether the heap stays full although garbage was collected; once for each time. */
  boolean isFull();
}
