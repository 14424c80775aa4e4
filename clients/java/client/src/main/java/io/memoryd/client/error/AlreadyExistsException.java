package io.memoryd.client.error;

/** The thing that must not be there is there. */
public class AlreadyExistsException extends CallFailedException {
  AlreadyExistsException(CallFailure failure) {
    super(failure);
  }
}
