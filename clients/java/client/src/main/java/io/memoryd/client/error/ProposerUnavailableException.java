package io.memoryd.client.error;

/** The model that proposes memories does not respond. */
public final class ProposerUnavailableException extends UnavailableException {
  ProposerUnavailableException(CallFailure failure) {
    super(failure);
  }
}
