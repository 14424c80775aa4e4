package io.memoryd.client.error;

/** The server cannot fetch the document at present. */
public final class UrlUnreachableException extends UnavailableException {
  UrlUnreachableException(CallFailure failure) {
    super(failure);
  }
}
