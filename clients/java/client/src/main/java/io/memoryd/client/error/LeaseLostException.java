package io.memoryd.client.error;

/** The lease of fragments is over, or was never given. */
public final class LeaseLostException extends AbortedException {
  LeaseLostException(CallFailure failure) {
    super(failure);
  }
}
