package io.memoryd.client.error;

/** A named thing is not there. */
public class NotFoundException extends CallFailedException {
  NotFoundException(CallFailure failure) {
    super(failure);
  }
}
