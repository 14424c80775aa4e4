package io.memoryd.client.error;

/** The request id belongs to another change. */
public final class RequestIdReusedException extends InvalidArgumentException {
  RequestIdReusedException(CallFailure failure) {
    super(failure);
  }
}
