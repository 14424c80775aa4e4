package io.memoryd.client.error;

/** A scope of this name is there. */
public final class ScopeExistsException extends AlreadyExistsException {
  ScopeExistsException(CallFailure failure) {
    super(failure);
  }
}
