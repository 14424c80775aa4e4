package io.memoryd.client.error;

/** The daemon is shutting down. */
public final class DrainingException extends UnavailableException {
  DrainingException(CallFailure failure) {
    super(failure);
  }
}
