package io.memoryd.client.error;

/** The caller may not touch this agent. */
public final class PermissionDeniedException extends CallFailedException {
  PermissionDeniedException(CallFailure failure) {
    super(failure);
  }
}
