package io.memoryd.client.testing;

/** A daemon for tests did not start. The message says why, and has what it logged. */
public final class DaemonFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  DaemonFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
