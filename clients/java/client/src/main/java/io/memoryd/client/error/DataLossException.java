package io.memoryd.client.error;

/** Data is damaged or lost. */
public class DataLossException extends CallFailedException {
  DataLossException(CallFailure failure) {
    super(failure);
  }
}
