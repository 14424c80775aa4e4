package io.memoryd.client.error;

/** The lease of fragments has expired, or was never granted. */
public final class LeaseLostException extends AbortedException {
  LeaseLostException(CallFailure failure) {
    super(failure);
  }
}
