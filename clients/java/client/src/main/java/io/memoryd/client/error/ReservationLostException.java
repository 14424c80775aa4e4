package io.memoryd.client.error;

/** The reservation has expired, or was never granted. */
public final class ReservationLostException extends AbortedException {
  ReservationLostException(CallFailure failure) {
    super(failure);
  }
}
