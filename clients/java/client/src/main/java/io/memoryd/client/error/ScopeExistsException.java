package io.memoryd.client.error;

/** Another scope has this name. */
public final class ScopeExistsException extends AlreadyExistsException {
  ScopeExistsException(CallFailure failure) {
    super(failure);
  }
}
