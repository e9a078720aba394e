package kvasir.rdma;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds blocks of map outputs' files in memory before they are asked for.
 *
 * <p>A thread reads files block by block as long as there is memory. Every byte is for one reduce
 * task: a block that has been given away makes room for the next. Bytes that are asked for before
 * they are here come from the file, and are not read again.
 */
final class PrefetchCache implements Closeable {
  /** Bytes of a block. */
  static final int BLOCK = 128 << 10;

  private static final Logger LOG = LoggerFactory.getLogger(PrefetchCache.class);

  /** Opens a file. */
  interface Opener {
    FileChannel open() throws IOException;
  }

  private final long blocks;
  private final Map<String, Held> files = new HashMap<>();
  private final ArrayDeque<Held> waiting = new ArrayDeque<>();
  private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();
  private long made;
  private long inUse;
  private long peak;
  private long readAhead;
  private long fromMemory;
  private long fromFiles;
  private boolean closed;

  /** Makes a cache of at most so many bytes; none at all is right as well. */
  PrefetchCache(long bytes) {
    blocks = bytes / BLOCK;
    if (blocks > 0) {
      Thread thread = new Thread(this::run, "kvasir-rdma-prefetch");
      thread.setDaemon(true);
      thread.start();
    }
  }

  /** Has a file read when its turn comes. */
  synchronized void add(String name, Opener opener) {
    if (blocks > 0 && !files.containsKey(name)) {
      Held held = new Held(name, opener);
      files.put(name, held);
      waiting.add(held);
      notifyAll();
    }
  }

  /** Drops all files whose names begin so. */
  synchronized void forget(String prefix) {
    files
        .entrySet()
        .removeIf(
            entry -> {
              if (!entry.getKey().startsWith(prefix)) {
                return false;
              }
              entry.getValue().drop();
              return true;
            });
    notifyAll();
  }

  /** Stops reading, and drops everything. */
  @Override
  public synchronized void close() {
    closed = true;
    forget("");
  }

  /** Returns the most bytes that were held at a time. */
  synchronized long peakBytes() {
    return peak * BLOCK;
  }

  /** Returns the bytes that were read ahead, those that were given away since included. */
  synchronized long readAhead() {
    return readAhead;
  }

  /** Returns the bytes that were given from memory. */
  synchronized long fromMemory() {
    return fromMemory;
  }

  @Override
  public synchronized String toString() {
    return fromMemory
        + " bytes from memory, "
        + fromFiles
        + " from files; "
        + peak * BLOCK
        + " held at most";
  }

  /**
   * Writes bytes of a file to a channel, up to the end of their block; returns how many it took, -1
   * when they are not here.
   */
  long transferTo(String name, long at, long count, WritableByteChannel to) throws IOException {
    Block block;
    ByteBuffer bytes;
    synchronized (this) {
      Held held = files.get(name);
      block = held == null ? null : held.blocks.get((int) (at / BLOCK));
      int from = (int) (at % BLOCK);
      if (block == null || block.bytes == null || from >= block.bytes.limit()) {
        return -1;
      }
      block.readers++;
      bytes = block.bytes.duplicate();
      bytes.position(from).limit((int) Math.min(bytes.limit(), from + count));
    }
    long given = 0;
    try {
      given = to.write(bytes);
      return given;
    } finally {
      synchronized (this) {
        block.readers--;
        fromMemory += given;
        block.give(given);
      }
    }
  }

  /** Hears that bytes were given from the file. */
  synchronized void missed(String name, long at, long count) {
    fromFiles += count;
    Held held = files.get(name);
    if (held != null) {
      held.blocks.computeIfAbsent((int) (at / BLOCK), Block::new).give(count);
      // The thread that reads may be waiting for room for this block.
      notifyAll();
    }
  }

  private void run() {
    while (true) {
      Held next;
      synchronized (this) {
        while (!closed && waiting.isEmpty()) {
          pause();
        }
        if (closed) {
          return;
        }
        next = waiting.remove();
      }
      try {
        read(next);
      } catch (IOException | RuntimeException e) {
        LOG.info("{} is not read ahead: {}", next.name, e.toString());
      }
    }
  }

  private void read(Held held) throws IOException {
    try (FileChannel file = held.opener.open()) {
      long size = file.size();
      for (int number = 0; (long) number * BLOCK < size; number++) {
        ByteBuffer buffer = room(held, number);
        if (buffer == null) {
          continue;
        }
        long at = (long) number * BLOCK;
        buffer.limit((int) Math.min(BLOCK, size - at));
        boolean whole = false;
        try {
          while (buffer.hasRemaining() && file.read(buffer, at + buffer.position()) >= 0) {
            continue;
          }
          whole = !buffer.hasRemaining();
        } finally {
          buffer.flip();
          put(held, number, buffer, whole);
        }
      }
    }
  }

  /** Returns a buffer for a block when there is one, null when the block need not be read. */
  private synchronized ByteBuffer room(Held held, int number) {
    while (!closed && !held.dropped) {
      Block block = held.blocks.computeIfAbsent(number, Block::new);
      if (block.given > 0) {
        return null;
      }
      ByteBuffer buffer = free.poll();
      if (buffer == null && made < blocks) {
        buffer = make();
      }
      if (buffer != null) {
        inUse++;
        peak = Math.max(peak, inUse);
        buffer.clear();
        return buffer;
      }
      pause();
    }
    return null;
  }

  private ByteBuffer make() {
    try {
      ByteBuffer buffer = ByteBuffer.allocateDirect(BLOCK);
      made++;
      return buffer;
    } catch (OutOfMemoryError e) {
      // The NodeManager has less memory than the cache may have: what there is has to do.
      LOG.warn("no memory for more than {} blocks of map outputs: {}", made, e.getMessage());
      made = blocks;
      return null;
    }
  }

  private synchronized void put(Held held, int number, ByteBuffer buffer, boolean whole) {
    Block block = held.blocks.get(number);
    if (held.dropped || closed || !whole || block.given > 0) {
      back(buffer);
    } else {
      block.bytes = buffer;
      readAhead += buffer.limit();
    }
  }

  private void back(ByteBuffer buffer) {
    inUse--;
    free.push(buffer);
    notifyAll();
  }

  private void pause() {
    try {
      wait(1000);
    } catch (InterruptedException e) {
      closed = true;
      Thread.currentThread().interrupt();
    }
  }

  /** File whose blocks are held or will be. */
  private final class Held {
    private final String name;
    private final Opener opener;
    private final Map<Integer, Block> blocks = new HashMap<>();
    private boolean dropped;

    Held(String name, Opener opener) {
      this.name = name;
      this.opener = opener;
    }

    void drop() {
      dropped = true;
      waiting.remove(this);
      blocks.values().forEach(Block::drop);
    }
  }

  /** Part of a file. */
  private final class Block {
    private ByteBuffer bytes;
    private long given;
    private int readers;
    private boolean gone;

    Block(int number) {}

    /** Counts bytes that were given away, and makes room when that were all. */
    void give(long count) {
      given += count;
      if (bytes != null && (given >= bytes.limit() || gone)) {
        drop();
      }
    }

    /** Gives the memory back, as soon as nobody reads it. */
    void drop() {
      gone = true;
      if (bytes != null && readers == 0) {
        back(bytes);
        bytes = null;
      }
    }
  }
}
