package kvasir.nvm;

import java.io.IOException;

/** The thread that sorts and writes spills, one at a time, while the map goes on. */
final class Spiller extends Thread {
  /** Does the work for one spill. */
  interface Work {
    void spill(Records records) throws IOException, InterruptedException, ClassNotFoundException;
  }

  private final Work work;
  private Records pending;
  private Throwable failure;
  private boolean ended;
  private long busy;

  Spiller(String task, Work work) {
    super("spills of " + task);
    this.work = work;
    setDaemon(true);
  }

  @Override
  public void run() {
    try {
      for (Records records = take(); records != null; records = take()) {
        long start = System.nanoTime();
        work.spill(records);
        records.release();
        done(System.nanoTime() - start);
      }
    } catch (Throwable e) {
      fail(e);
    }
  }

  private synchronized Records take() throws InterruptedException {
    while (pending == null && !ended) {
      wait();
    }
    return pending;
  }

  private synchronized void done(long nanoseconds) {
    pending = null;
    busy += nanoseconds;
    notifyAll();
  }

  private synchronized void fail(Throwable e) {
    failure = e;
    notifyAll();
  }

  /** Returns whether a spill is under way. Raises IOException when one has failed. */
  synchronized boolean busy() throws IOException {
    check();
    return pending != null;
  }

  /** Hands records over; none must be under way. */
  synchronized void spill(Records records) throws IOException {
    check();
    pending = records;
    notifyAll();
  }

  /** Waits until no spill is under way. Raises IOException when one has failed. */
  synchronized void await() throws IOException, InterruptedException {
    while (pending != null && failure == null) {
      wait();
    }
    check();
  }

  /** Returns the time that spills have taken. */
  synchronized long busyNanoseconds() {
    return busy;
  }

  private void check() throws IOException {
    if (failure != null) {
      throw new IOException("a spill of the map's output failed: " + failure.getMessage(), failure);
    }
  }

  /** Ends the thread; a spill that is under way is broken off. */
  void end() {
    synchronized (this) {
      ended = true;
      pending = null;
      notifyAll();
    }
    if (!isAlive()) {
      return;
    }
    interrupt();
    boolean interrupted = false;
    while (isAlive()) {
      try {
        join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
