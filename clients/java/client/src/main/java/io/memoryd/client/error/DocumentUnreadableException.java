package io.memoryd.client.error;

/**
 * No text can be extracted from the file, as it is or within the daemon's limits. {@link #metadata}
 * contains the {@code problem}.
 */
public final class DocumentUnreadableException extends InvalidArgumentException {
  DocumentUnreadableException(CallFailure failure) {
    super(failure);
  }
}
