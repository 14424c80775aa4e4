package io.memoryd.client.error;

/** There is no room for it. */
public class ResourceExhaustedException extends CallFailedException {
  ResourceExhaustedException(CallFailure failure) {
    super(failure);
  }
}
