package io.memoryd.client.error;

/** The resume token is damaged. */
public final class InvalidResumeTokenException extends InvalidArgumentException {
  InvalidResumeTokenException(CallFailure failure) {
    super(failure);
  }
}
