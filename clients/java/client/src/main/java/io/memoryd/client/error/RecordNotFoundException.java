package io.memoryd.client.error;

/** The agent has no such record, such as a note. */
public final class RecordNotFoundException extends NotFoundException {
  RecordNotFoundException(CallFailure failure) {
    super(failure);
  }
}
