package io.memoryd.client.error;

/** The caller may not access this agent. */
public final class PermissionDeniedException extends CallFailedException {
  PermissionDeniedException(CallFailure failure) {
    super(failure);
  }
}
