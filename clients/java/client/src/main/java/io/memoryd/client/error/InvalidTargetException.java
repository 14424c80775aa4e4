package io.memoryd.client.error;

/**
 * The address is neither {@code HOST:PORT} nor {@code unix:/path}, or the TLS files cannot be used.
 */
public final class InvalidTargetException extends MemorydException {
  /** Makes the error with a message for people. */
  public InvalidTargetException(String message) {
    this(message, null);
  }

  /** Makes the error with a message for people and what led to it. */
  public InvalidTargetException(String message, Throwable cause) {
    super(message, cause);
  }
}
