package io.memoryd.client.error;

/** The model that summarizes conversations does not respond. */
public final class SummarizerUnavailableException extends UnavailableException {
  SummarizerUnavailableException(CallFailure failure) {
    super(failure);
  }
}
