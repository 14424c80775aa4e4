package io.memoryd.client.error;

/** Something that the request names does not exist. */
public class NotFoundException extends CallFailedException {
  NotFoundException(CallFailure failure) {
    super(failure);
  }
}
