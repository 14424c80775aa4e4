package io.memoryd.client.error;

/** The call was cancelled: its thread was interrupted, or the client was closed. */
public final class CancelledException extends CallFailedException {
  CancelledException(CallFailure failure) {
    super(failure);
  }
}
