package io.memoryd.client.error;

/** The reservation is over, or was never given. */
public final class ReservationLostException extends AbortedException {
  ReservationLostException(CallFailure failure) {
    super(failure);
  }
}
