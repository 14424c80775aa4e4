package io.memoryd.client.error;

/** The listing's revision is no longer kept: list again. */
public final class PageTokenExpiredException extends OutOfRangeException {
  PageTokenExpiredException(CallFailure failure) {
    super(failure);
  }
}
