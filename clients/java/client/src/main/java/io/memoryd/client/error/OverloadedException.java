package io.memoryd.client.error;

import java.util.OptionalLong;

/**
 * The daemon has too many calls in progress, and did not begin this one: try again after {@link
 * #retryDelay}.
 */
public final class OverloadedException extends ResourceExhaustedException {
  OverloadedException(CallFailure failure) {
    super(failure);
  }

  /** Returns the limit's name, such as {@code concurrent_calls}. Empty if the daemon sent none. */
  public String limit() {
    return metadata().getOrDefault("limit", "");
  }

  /** Returns the maximum that the limit allows. Empty if the daemon sent none. */
  public OptionalLong value() {
    return number("value");
  }
}
