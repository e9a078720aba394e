package kvasir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class UsageTest {
  @Test
  void numbersAreChecked() {
    assertEquals(7, Usage.number("N", "7", 1, 9));
    for (String wrong : Arrays.asList("0", "10", "x", "", "1.5")) {
      String message =
          assertThrows(Usage.Wrong.class, () -> Usage.number("N", wrong, 1, 9)).getMessage();
      assertTrue(message.startsWith("N: expected a whole number from 1 to 9, got"), message);
    }
  }

  @Test
  void argumentsAreCounted() {
    Usage.expect(new String[] {"a"}, "IN");
    String message =
        assertThrows(Usage.Wrong.class, () -> Usage.expect(new String[] {"a"}, "IN", "OUT"))
            .getMessage();
    assertEquals("expected arguments IN OUT, got [a]", message);
  }
}
