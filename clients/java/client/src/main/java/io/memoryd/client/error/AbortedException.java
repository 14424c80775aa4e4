package io.memoryd.client.error;

/** A concurrent change came first. */
public class AbortedException extends CallFailedException {
  AbortedException(CallFailure failure) {
    super(failure);
  }
}
