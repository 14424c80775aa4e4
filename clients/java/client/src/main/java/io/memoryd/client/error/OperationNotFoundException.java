package io.memoryd.client.error;

/** The server has no such operation, or no longer. */
public final class OperationNotFoundException extends NotFoundException {
  OperationNotFoundException(CallFailure failure) {
    super(failure);
  }
}
