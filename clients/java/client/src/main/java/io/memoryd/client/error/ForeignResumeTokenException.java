package io.memoryd.client.error;

/** The resume token is from another store: start a new watch. */
public final class ForeignResumeTokenException extends FailedPreconditionException {
  ForeignResumeTokenException(CallFailure failure) {
    super(failure);
  }
}
