package io.memoryd.client.error;

/** Data is damaged. */
public class DataLossException extends CallFailedException {
  DataLossException(CallFailure failure) {
    super(failure);
  }
}
