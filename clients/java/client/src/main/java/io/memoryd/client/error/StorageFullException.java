package io.memoryd.client.error;

/** The daemon's disk or store is full. Reads and watches continue to work. */
public final class StorageFullException extends ResourceExhaustedException {
  StorageFullException(CallFailure failure) {
    super(failure);
  }
}
