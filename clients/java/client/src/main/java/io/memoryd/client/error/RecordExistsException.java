package io.memoryd.client.error;

/** Another record of the kind has this id. */
public final class RecordExistsException extends AlreadyExistsException {
  RecordExistsException(CallFailure failure) {
    super(failure);
  }
}
