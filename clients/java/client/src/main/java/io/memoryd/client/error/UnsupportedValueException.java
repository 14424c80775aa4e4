package io.memoryd.client.error;

import org.jspecify.annotations.Nullable;

/** The value cannot be encoded as JSON, such as NaN or a lone surrogate. */
public final class UnsupportedValueException extends MemorydException {
  /** Creates the error with a message for people. */
  public UnsupportedValueException(String message) {
    this(message, null);
  }

  /** Creates the error with a message for people and its cause. */
  public UnsupportedValueException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
