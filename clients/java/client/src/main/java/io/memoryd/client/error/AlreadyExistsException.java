package io.memoryd.client.error;

/** Something that must not exist does. */
public class AlreadyExistsException extends CallFailedException {
  AlreadyExistsException(CallFailure failure) {
    super(failure);
  }
}
