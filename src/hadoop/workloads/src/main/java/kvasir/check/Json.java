package kvasir.check;

import java.util.Map;
import java.util.TreeMap;

/** JSON of names and numbers, which is all that the checks print. */
final class Json {
  private final StringBuilder text = new StringBuilder("{");

  Json put(String name, Object value) {
    if (text.length() > 1) {
      text.append(',');
    }
    quote(name).append(':').append(value);
    return this;
  }

  Json put(String name, Map<String, Long> values) {
    Json inner = new Json();
    new TreeMap<>(values).forEach(inner::put);
    return put(name, (Object) inner);
  }

  private StringBuilder quote(String name) {
    text.append('"');
    for (char c : name.toCharArray()) {
      if (c == '"' || c == '\\') {
        text.append('\\').append(c);
      } else if (c < ' ') {
        text.append(String.format("\\u%04x", (int) c));
      } else {
        text.append(c);
      }
    }
    return text.append('"');
  }

  @Override
  public String toString() {
    return text + "}";
  }
}
