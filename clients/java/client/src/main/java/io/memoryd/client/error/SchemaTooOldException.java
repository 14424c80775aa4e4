package io.memoryd.client.error;

/** A record or a snapshot was written by a version whose data the daemon does not read. */
public final class SchemaTooOldException extends FailedPreconditionException {
  SchemaTooOldException(CallFailure failure) {
    super(failure);
  }
}
