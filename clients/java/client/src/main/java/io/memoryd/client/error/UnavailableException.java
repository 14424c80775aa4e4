package io.memoryd.client.error;

/** The daemon cannot be reached, or does not accept calls now. */
public class UnavailableException extends CallFailedException {
  UnavailableException(CallFailure failure) {
    super(failure);
  }
}
