package io.memoryd.client.error;

/** The daemon's store does not respond. */
public final class StoreUnavailableException extends UnavailableException {
  StoreUnavailableException(CallFailure failure) {
    super(failure);
  }
}
