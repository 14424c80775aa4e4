package io.memoryd.client.error;

import java.util.OptionalLong;

/** A limit of the daemon would be exceeded; {@code GetServerInfo} answers them all. */
public final class LimitExceededException extends ResourceExhaustedException {
  LimitExceededException(CallFailure failure) {
    super(failure);
  }

  /** The limit's name, such as {@code entries_per_agent}. Blank when the daemon did not tell. */
  public String limit() {
    return metadata().getOrDefault("limit", "");
  }

  /** The most that the limit allows. Empty when the daemon did not tell. */
  public OptionalLong value() {
    return number("value");
  }
}
