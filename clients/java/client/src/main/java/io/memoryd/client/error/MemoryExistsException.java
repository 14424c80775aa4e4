package io.memoryd.client.error;

/** Another memory has this id. */
public final class MemoryExistsException extends AlreadyExistsException {
  MemoryExistsException(CallFailure failure) {
    super(failure);
  }
}
