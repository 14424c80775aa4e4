package io.memoryd.client.error;

/**
 * The daemon does not fetch this URL, or no URL at all. {@link #metadata} contains its {@code
 * host}, if there is one.
 */
public final class UrlNotAllowedException extends FailedPreconditionException {
  UrlNotAllowedException(CallFailure failure) {
    super(failure);
  }
}
