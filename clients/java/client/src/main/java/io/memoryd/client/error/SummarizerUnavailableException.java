package io.memoryd.client.error;

/** The model that sums conversations up does not answer. */
public final class SummarizerUnavailableException extends UnavailableException {
  SummarizerUnavailableException(CallFailure failure) {
    super(failure);
  }
}
