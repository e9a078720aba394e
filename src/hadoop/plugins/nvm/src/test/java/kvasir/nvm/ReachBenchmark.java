package kvasir.nvm;

import java.io.IOException;
import java.nio.file.Paths;
import java.util.Arrays;

/**
 * Writes to a region in /dev/shm and prints what the emulation of a device with 10x slower writes
 * asks for and gets, by size of the write. Times are medians of batches: on a busy machine some are
 * another process's.
 */
public final class ReachBenchmark {
  private static final int BATCHES = 31;
  private static final int BATCH_BYTES = 8 << 20;

  private ReachBenchmark() {}

  /** Takes no arguments. */
  public static void main(String[] arguments) throws IOException {
    double dram = DeviceState.measure();
    System.out.printf("DRAM: %.4f ns/B%n", dram);
    System.out.println("bytes  asked ns/write  got ns/write  reach %  whole write ns  without ns");
    for (int size = 64; size <= 1 << 20; size *= 4) {
      int writes = BATCH_BYTES / size;
      byte[] record = new byte[size];
      double[] reach = new double[BATCHES];
      double[] asked = new double[BATCHES];
      double[] got = new double[BATCHES];
      double[] whole = new double[BATCHES];
      double[] without = new double[BATCHES];
      for (int batch = 0; batch < BATCHES; batch++) {
        Delay none = new Delay(new NvmSettings.Access(1, 0, 0), 1, dram, null, System::nanoTime);
        without[batch] = time(record, writes, none);
        Delay delay = new Delay(new NvmSettings.Access(10, 0, 0), 1, dram, null, System::nanoTime);
        whole[batch] = time(record, writes, delay);
        asked[batch] = (double) delay.asked() / writes;
        got[batch] = (double) delay.got() / writes;
        reach[batch] = 100.0 * delay.got() / delay.asked();
      }
      System.out.printf(
          "%7d %14.1f %13.1f %8.2f %15.1f %11.1f%n",
          size, median(asked), median(got), median(reach), median(whole), median(without));
    }
  }

  private static double time(byte[] record, int writes, Delay delay) throws IOException {
    try (Region region = new Region(Paths.get("/dev/shm"), 1 << 24, 0)) {
      long start = System.nanoTime();
      for (int i = 0; i < writes; i++) {
        long position = region.length();
        region.append(record, 0, record.length);
        delay.access(position, record.length);
      }
      delay.settle();
      return (double) (System.nanoTime() - start) / writes;
    }
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
