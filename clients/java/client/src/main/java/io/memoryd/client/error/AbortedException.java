package io.memoryd.client.error;

/** Somebody else was faster. */
public class AbortedException extends CallFailedException {
  AbortedException(CallFailure failure) {
    super(failure);
  }
}
