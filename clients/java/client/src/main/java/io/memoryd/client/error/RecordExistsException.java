package io.memoryd.client.error;

/** The id is taken by another record of the kind. */
public final class RecordExistsException extends AlreadyExistsException {
  RecordExistsException(CallFailure failure) {
    super(failure);
  }
}
