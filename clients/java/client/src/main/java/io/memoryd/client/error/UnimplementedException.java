package io.memoryd.client.error;

/** The daemon has no such method: it is older than this client. */
public final class UnimplementedException extends CallFailedException {
  UnimplementedException(CallFailure failure) {
    super(failure);
  }
}
