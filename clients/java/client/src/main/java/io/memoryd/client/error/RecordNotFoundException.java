package io.memoryd.client.error;

/** The agent has no such record of a kind: no such note, for example. */
public final class RecordNotFoundException extends NotFoundException {
  RecordNotFoundException(CallFailure failure) {
    super(failure);
  }
}
