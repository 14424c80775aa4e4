package io.memoryd.client.error;

/** The daemon's disk or store has no room. Reads and watches go on. */
public final class StorageFullException extends ResourceExhaustedException {
  StorageFullException(CallFailure failure) {
    super(failure);
  }
}
