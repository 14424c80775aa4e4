package io.memoryd.client.error;

import java.util.OptionalLong;

/**
 * The request is larger than a limit of the daemon allows. {@code GetServerInfo} returns all
 * limits.
 */
public final class TooLargeException extends ResourceExhaustedException {
  TooLargeException(CallFailure failure) {
    super(failure);
  }

  /** Returns the limit's name, such as {@code entry_bytes}. Empty if the daemon sent none. */
  public String limit() {
    return metadata().getOrDefault("limit", "");
  }

  /** Returns the maximum that the limit allows. Empty if the daemon sent none. */
  public OptionalLong value() {
    return number("value");
  }
}
