package io.memoryd.client.error;

/** The call took longer than its timeout. A change may have happened or not. */
public final class DeadlineExceededException extends CallFailedException {
  DeadlineExceededException(CallFailure failure) {
    super(failure);
  }
}
