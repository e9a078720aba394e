package kvasir;

import java.util.Arrays;

/** Command lines: a program that is called wrongly says how it is called, and ends with code 1. */
public final class Usage {
  private Usage() {}

  /** Thrown when a program is called wrongly. */
  public static final class Wrong extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    Wrong(String message) {
      super(message);
    }
  }

  /**
   * Checks the number of arguments.
   *
   * @throws Wrong when it is not that of {@code names}
   */
  public static void expect(String[] arguments, String... names) {
    if (arguments.length != names.length) {
      throw new Wrong(
          "expected arguments " + String.join(" ", names) + ", got " + Arrays.toString(arguments));
    }
  }

  /**
   * Reads a whole number.
   *
   * @throws Wrong when {@code text} is none or is not between {@code least} and {@code most}
   */
  public static long number(String name, String text, long least, long most) {
    try {
      long value = Long.parseLong(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new Wrong(
        name + ": expected a whole number from " + least + " to " + most + ", got " + text);
  }

  /**
   * Reads a number that is not negative.
   *
   * @throws Wrong when {@code text} is none
   */
  public static double decimal(String name, String text) {
    try {
      double value = Double.parseDouble(text);
      if (value >= 0 && value < Double.POSITIVE_INFINITY) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new Wrong(name + ": expected a number from 0, got " + text);
  }
}
