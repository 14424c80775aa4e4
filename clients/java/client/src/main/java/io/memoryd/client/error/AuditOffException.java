package io.memoryd.client.error;

/** The daemon keeps no audit log. */
public final class AuditOffException extends FailedPreconditionException {
  AuditOffException(CallFailure failure) {
    super(failure);
  }
}
