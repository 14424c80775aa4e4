package io.memoryd.client.error;

import org.jspecify.annotations.Nullable;

/**
 * The address or the TLS files cannot be used, or a token would be sent to another machine without
 * TLS.
 */
public final class InvalidTargetException extends MemorydException {
  /** Creates the error with a message for people. */
  public InvalidTargetException(String message) {
    this(message, null);
  }

  /** Creates the error with a message for people and its cause. */
  public InvalidTargetException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
