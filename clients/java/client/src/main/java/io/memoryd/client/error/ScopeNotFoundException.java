package io.memoryd.client.error;

/** The agent has no such scope. */
public final class ScopeNotFoundException extends NotFoundException {
  ScopeNotFoundException(CallFailure failure) {
    super(failure);
  }
}
