package io.memoryd.client.error;

/** Whatever this client throws on purpose. A missing entry is an answer, never an error. */
public abstract sealed class MemorydException extends RuntimeException
    permits CallFailedException,
        InvalidTargetException,
        UnsupportedValueException,
        WrongTypeException {
  MemorydException(String message, Throwable cause) {
    super(message, cause);
  }
}
