package io.memoryd.client.error;

/** What was asked for lies outside of what the daemon keeps. */
public class OutOfRangeException extends CallFailedException {
  OutOfRangeException(CallFailure failure) {
    super(failure);
  }
}
