package kvasir.nvm;

import java.io.Closeable;
import java.io.IOException;
import org.apache.hadoop.mapred.Reporter;

/** The device that a region stands for: delays of its writes and reads. */
final class Device implements Closeable {
  final Delay writes;
  final Delay reads;
  private final DeviceState state;
  private final double dram;

  Device(NvmSettings settings) throws IOException {
    state = settings.emulates() ? new DeviceState(settings.dir) : null;
    dram = state == null || settings.dram > 0 ? settings.dram / 1000 : state.dram();
    DeviceState shared = settings.shared ? state : null;
    writes = new Delay(settings.write, settings.granularity, dram, shared, System::nanoTime);
    reads = new Delay(settings.read, settings.granularity, dram, shared, System::nanoTime);
  }

  /** Adds what was asked and got to the job's counters. */
  void report(Reporter reporter) {
    reporter.incrCounter(NvmCount.WRITES, writes.accesses());
    reporter.incrCounter(NvmCount.WRITTEN_BYTES, writes.bytes());
    reporter.incrCounter(NvmCount.WRITE_ASKED_NS, writes.asked());
    reporter.incrCounter(NvmCount.WRITE_GOT_NS, writes.got());
    reporter.incrCounter(NvmCount.READS, reads.accesses());
    reporter.incrCounter(NvmCount.READ_BYTES, reads.bytes());
    reporter.incrCounter(NvmCount.READ_ASKED_NS, reads.asked());
    reporter.incrCounter(NvmCount.READ_GOT_NS, reads.got());
    reporter.incrCounter(NvmCount.DRAM_PS_PER_BYTE, Math.round(dram * 1000));
  }

  @Override
  public void close() throws IOException {
    if (state != null) {
      state.close();
    }
  }
}
