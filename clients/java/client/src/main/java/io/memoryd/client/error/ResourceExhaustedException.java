package io.memoryd.client.error;

/** A limit or the storage of the daemon is exhausted. */
public class ResourceExhaustedException extends CallFailedException {
  ResourceExhaustedException(CallFailure failure) {
    super(failure);
  }
}
