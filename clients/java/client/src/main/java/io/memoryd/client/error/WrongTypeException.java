package io.memoryd.client.error;

/** The value that was read is not of the type that was asked for. */
public final class WrongTypeException extends MemorydException {
  private final String key;

  /** Makes the error for the value under a key, with the type that was asked for. */
  public WrongTypeException(String key, String expected, Throwable cause) {
    super("the value of \"" + key + "\" is no " + expected, cause);
    this.key = key;
  }

  /** The key whose value it is. */
  public String key() {
    return key;
  }
}
