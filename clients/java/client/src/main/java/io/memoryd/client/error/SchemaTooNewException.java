package io.memoryd.client.error;

/** A record or a snapshot was written by a newer version of the daemon. */
public final class SchemaTooNewException extends FailedPreconditionException {
  SchemaTooNewException(CallFailure failure) {
    super(failure);
  }
}
