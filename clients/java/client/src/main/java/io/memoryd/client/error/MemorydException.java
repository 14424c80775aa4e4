package io.memoryd.client.error;

import org.jspecify.annotations.Nullable;

/** The base class of the errors that this client throws. A missing entry is not an error. */
public abstract sealed class MemorydException extends RuntimeException
    permits CacheFullException,
        CallFailedException,
        InvalidTargetException,
        StaleReadException,
        UnsupportedValueException,
        WrongTypeException {
  MemorydException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
