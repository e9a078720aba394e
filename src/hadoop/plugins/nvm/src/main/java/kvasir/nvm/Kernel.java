package kvasir.nvm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;

/** What the kernel says of this process. */
final class Kernel {
  private static final Path IO = Paths.get("/proc/self/io");
  private static final Path MOUNTS = Paths.get("/proc/self/mountinfo");

  private Kernel() {}

  /**
   * Returns the bytes of pages that this process made dirty and that belong to a block device;
   * pages of tmpfs do not count. -1 where the kernel does not tell.
   */
  static long diskWrites() {
    try {
      for (String line : Files.readAllLines(IO, StandardCharsets.US_ASCII)) {
        if (line.startsWith("write_bytes:")) {
          return Long.parseLong(line.substring(line.indexOf(':') + 1).trim());
        }
      }
    } catch (IOException | NumberFormatException e) {
      return -1;
    }
    return -1;
  }

  /**
   * Returns why pages of a folder's files would be written to a block device, and an empty text
   * where they would not: in tmpfs, or where the file system maps persistent memory itself (DAX).
   */
  static String notMemory(Path folder) throws IOException {
    return notMemory(
        folder.toRealPath().toString(), Files.readAllLines(MOUNTS, StandardCharsets.UTF_8));
  }

  static String notMemory(String folder, List<String> mounts) {
    String best = "";
    String found = "is on no file system that /proc/self/mountinfo names";
    for (String line : mounts) {
      String[] fields = line.split(" ");
      int dash = 6;
      while (dash < fields.length && !fields[dash].equals("-")) {
        dash++;
      }
      if (dash + 3 >= fields.length) {
        continue;
      }
      String point = fields[4].replace("\\040", " ");
      boolean holds = point.equals("/") || folder.equals(point) || folder.startsWith(point + "/");
      // The last of those mounted at one place hides the others.
      if (!holds || point.length() < best.length()) {
        continue;
      }
      best = point;
      String type = fields[dash + 1];
      String options = "," + fields[5] + "," + fields[dash + 3] + ",";
      boolean dax = options.contains(",dax,") || options.contains(",dax=always,");
      found =
          type.equals("tmpfs") || type.equals("ramfs") || dax
              ? ""
              : "is on " + type + " mounted at " + point + " without dax";
    }
    return found;
  }
}
