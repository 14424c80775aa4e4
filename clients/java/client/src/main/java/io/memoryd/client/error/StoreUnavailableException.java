package io.memoryd.client.error;

/** The daemon's store does not answer. */
public final class StoreUnavailableException extends UnavailableException {
  StoreUnavailableException(CallFailure failure) {
    super(failure);
  }
}
