package io.memoryd.client.error;

/** The store's data is damaged. None of it is served. */
public final class DataDamagedException extends DataLossException {
  DataDamagedException(CallFailure failure) {
    super(failure);
  }
}
