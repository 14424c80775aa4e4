package io.memoryd.client.error;

/** The state does not allow the call. */
public class FailedPreconditionException extends CallFailedException {
  FailedPreconditionException(CallFailure failure) {
    super(failure);
  }
}
