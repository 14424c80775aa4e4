package io.memoryd.client.error;

/**
 * The daemon does not fetch this URL, or none at all; {@link #metadata} has its {@code host}, when
 * there is one.
 */
public final class UrlNotAllowedException extends FailedPreconditionException {
  UrlNotAllowedException(CallFailure failure) {
    super(failure);
  }
}
