package io.memoryd.client.error;

/** The caller sent no token or certificate, or one that the daemon does not know. */
public final class UnauthenticatedException extends CallFailedException {
  UnauthenticatedException(CallFailure failure) {
    super(failure);
  }
}
