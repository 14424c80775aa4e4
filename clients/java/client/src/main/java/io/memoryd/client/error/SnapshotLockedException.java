package io.memoryd.client.error;

/** The snapshot is encrypted, and none of the daemon's keys decrypts it. */
public final class SnapshotLockedException extends FailedPreconditionException {
  SnapshotLockedException(CallFailure failure) {
    super(failure);
  }
}
