package io.memoryd.client.error;

import org.jspecify.annotations.Nullable;

/**
 * The near cache may be older than it may, and its reads are to be refused then. The cause is the
 * error that ended its watch, if there is one.
 */
public final class StaleReadException extends MemorydException {
  /** Creates the error, with the error that ended the watch, or null. */
  public StaleReadException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
