package kvasir.transport;

/** Says that a property has a value that it cannot have. */
public final class InvalidSettingException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  public InvalidSettingException(String message) {
    super(message);
  }
}
