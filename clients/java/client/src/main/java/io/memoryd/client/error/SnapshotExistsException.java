package io.memoryd.client.error;

/** The snapshot's id is taken. */
public final class SnapshotExistsException extends AlreadyExistsException {
  SnapshotExistsException(CallFailure failure) {
    super(failure);
  }
}
