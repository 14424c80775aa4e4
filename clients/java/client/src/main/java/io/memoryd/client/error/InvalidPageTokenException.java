package io.memoryd.client.error;

/** The page token is damaged or of another listing. */
public final class InvalidPageTokenException extends InvalidArgumentException {
  InvalidPageTokenException(CallFailure failure) {
    super(failure);
  }
}
