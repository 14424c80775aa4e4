package io.memoryd.client.error;

/** The request is not allowed; {@link #fields} tells what is wrong with each bad field. */
public class InvalidArgumentException extends CallFailedException {
  InvalidArgumentException(CallFailure failure) {
    super(failure);
  }
}
