package io.memoryd.client.error;

/** The call took longer than its timeout. A change may or may not have been applied. */
public final class DeadlineExceededException extends CallFailedException {
  DeadlineExceededException(CallFailure failure) {
    super(failure);
  }
}
