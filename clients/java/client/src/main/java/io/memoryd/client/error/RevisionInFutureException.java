package io.memoryd.client.error;

/** The agent has not reached the revision yet. */
public final class RevisionInFutureException extends OutOfRangeException {
  RevisionInFutureException(CallFailure failure) {
    super(failure);
  }
}
