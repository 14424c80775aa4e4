package io.memoryd.client.error;

/**
 * The address is neither {@code HOST:PORT} nor {@code unix:/path}, or the TLS files cannot be used.
 */
public final class InvalidTargetException extends MemorydException {
  /** Creates the error with a message for people. */
  public InvalidTargetException(String message) {
    this(message, null);
  }

  /** Creates the error with a message for people and its cause. */
  public InvalidTargetException(String message, Throwable cause) {
    super(message, cause);
  }
}
