package io.memoryd.client.error;

/** The listing's revision is no longer retained: start the listing again. */
public final class PageTokenExpiredException extends OutOfRangeException {
  PageTokenExpiredException(CallFailure failure) {
    super(failure);
  }
}
