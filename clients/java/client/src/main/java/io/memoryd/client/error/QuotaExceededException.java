package io.memoryd.client.error;

import java.util.OptionalLong;

/**
 * A limit of what the daemon stores would be exceeded. {@code GetServerInfo} returns all limits.
 */
public final class QuotaExceededException extends ResourceExhaustedException {
  QuotaExceededException(CallFailure failure) {
    super(failure);
  }

  /** Returns the limit's name, such as {@code entries_per_agent}. Empty if the daemon sent none. */
  public String limit() {
    return metadata().getOrDefault("limit", "");
  }

  /** Returns the maximum that the limit allows. Empty if the daemon sent none. */
  public OptionalLong value() {
    return number("value");
  }
}
