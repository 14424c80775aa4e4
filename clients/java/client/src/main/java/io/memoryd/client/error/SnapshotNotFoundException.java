package io.memoryd.client.error;

/** There is no such snapshot. */
public final class SnapshotNotFoundException extends NotFoundException {
  SnapshotNotFoundException(CallFailure failure) {
    super(failure);
  }
}
