package io.memoryd.client.error;

/** The agent has no such memory, or has forgotten it. */
public final class MemoryNotFoundException extends NotFoundException {
  MemoryNotFoundException(CallFailure failure) {
    super(failure);
  }
}
