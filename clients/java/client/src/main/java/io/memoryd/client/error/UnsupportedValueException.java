package io.memoryd.client.error;

/**
 * The value cannot be written as JSON, such as a number that is none or half of a surrogate pair.
 */
public final class UnsupportedValueException extends MemorydException {
  /** Makes the error with a message for people. */
  public UnsupportedValueException(String message) {
    this(message, null);
  }

  /** Makes the error with a message for people and what led to it. */
  public UnsupportedValueException(String message, Throwable cause) {
    super(message, cause);
  }
}
