package io.memoryd.client.error;

/** The resume token is of another store: begin the watch anew. */
public final class ForeignResumeTokenException extends FailedPreconditionException {
  ForeignResumeTokenException(CallFailure failure) {
    super(failure);
  }
}
