package io.memoryd.client.error;

/** Another snapshot has this id. */
public final class SnapshotExistsException extends AlreadyExistsException {
  SnapshotExistsException(CallFailure failure) {
    super(failure);
  }
}
