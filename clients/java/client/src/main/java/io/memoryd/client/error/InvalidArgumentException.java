package io.memoryd.client.error;

/** The request is invalid. {@link #fields} maps each invalid field to what is wrong with it. */
public class InvalidArgumentException extends CallFailedException {
  InvalidArgumentException(CallFailure failure) {
    super(failure);
  }
}
