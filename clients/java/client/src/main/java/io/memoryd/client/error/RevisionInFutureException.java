package io.memoryd.client.error;

/** The revision is not reached yet. */
public final class RevisionInFutureException extends OutOfRangeException {
  RevisionInFutureException(CallFailure failure) {
    super(failure);
  }
}
