package io.memoryd.client.error;

/** The snapshot is encrypted, and no key of the daemon opens it. */
public final class SnapshotLockedException extends FailedPreconditionException {
  SnapshotLockedException(CallFailure failure) {
    super(failure);
  }
}
