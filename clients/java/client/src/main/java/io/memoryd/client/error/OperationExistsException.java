package io.memoryd.client.error;

/** An operation with this id exists, for another request. */
public final class OperationExistsException extends AlreadyExistsException {
  OperationExistsException(CallFailure failure) {
    super(failure);
  }
}
