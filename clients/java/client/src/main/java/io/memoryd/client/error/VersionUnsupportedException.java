package io.memoryd.client.error;

/**
 * This client and the daemon do not work together: upgrade the older one. {@link #metadata}
 * contains the {@code client_version} and the {@code server_version}.
 */
public final class VersionUnsupportedException extends FailedPreconditionException {
  VersionUnsupportedException(CallFailure failure) {
    super(failure);
  }
}
