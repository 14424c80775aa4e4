package io.memoryd.client.error;

/** The daemon has a defect, told in its log; or the answer was none that this client knows. */
public final class InternalErrorException extends CallFailedException {
  InternalErrorException(CallFailure failure) {
    super(failure);
  }
}
