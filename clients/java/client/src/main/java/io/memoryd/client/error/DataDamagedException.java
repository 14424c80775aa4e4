package io.memoryd.client.error;

/** The store's data is damaged; nothing is served from it. */
public final class DataDamagedException extends DataLossException {
  DataDamagedException(CallFailure failure) {
    super(failure);
  }
}
