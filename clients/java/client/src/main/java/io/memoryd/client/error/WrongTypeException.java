package io.memoryd.client.error;

import org.jspecify.annotations.Nullable;

/** The value that was read does not have the requested type. */
public final class WrongTypeException extends MemorydException {
  private final String key;

  /** Creates the error for the value under a key, with the requested type. */
  public WrongTypeException(String key, String expected, @Nullable Throwable cause) {
    super("the value of \"" + key + "\" is not of type " + expected, cause);
    this.key = key;
  }

  /** Returns the key of the value. */
  public String key() {
    return key;
  }
}
