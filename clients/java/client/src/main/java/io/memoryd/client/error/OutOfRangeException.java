package io.memoryd.client.error;

/** The request is for something outside the range that the daemon retains. */
public class OutOfRangeException extends CallFailedException {
  OutOfRangeException(CallFailure failure) {
    super(failure);
  }
}
