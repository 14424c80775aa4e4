package io.memoryd.client.error;

/** A record or a snapshot was written by an old version whose data the daemon cannot read. */
public final class SchemaTooOldException extends FailedPreconditionException {
  SchemaTooOldException(CallFailure failure) {
    super(failure);
  }
}
