package io.memoryd.client.error;

/** The base class of the errors that this client throws. A missing entry is not an error. */
public abstract sealed class MemorydException extends RuntimeException
    permits CallFailedException,
        InvalidTargetException,
        UnsupportedValueException,
        WrongTypeException {
  MemorydException(String message, Throwable cause) {
    super(message, cause);
  }
}
