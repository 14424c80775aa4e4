package io.memoryd.client.error;

/** The memory's id is taken. */
public final class MemoryExistsException extends AlreadyExistsException {
  MemoryExistsException(CallFailure failure) {
    super(failure);
  }
}
