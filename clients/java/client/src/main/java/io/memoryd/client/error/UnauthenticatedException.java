package io.memoryd.client.error;

/** The caller gave no token or certificate, or one that the daemon does not know. */
public final class UnauthenticatedException extends CallFailedException {
  UnauthenticatedException(CallFailure failure) {
    super(failure);
  }
}
