package io.memoryd.client.error;

/** The daemon is about to stop. */
public final class DrainingException extends UnavailableException {
  DrainingException(CallFailure failure) {
    super(failure);
  }
}
