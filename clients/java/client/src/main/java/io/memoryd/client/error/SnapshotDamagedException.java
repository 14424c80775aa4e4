package io.memoryd.client.error;

/** The snapshot's file is damaged. Nothing was changed. */
public final class SnapshotDamagedException extends DataLossException {
  SnapshotDamagedException(CallFailure failure) {
    super(failure);
  }
}
