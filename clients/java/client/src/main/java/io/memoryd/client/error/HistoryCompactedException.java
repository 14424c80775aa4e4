package io.memoryd.client.error;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** What memories were at that time is not known any more. */
public final class HistoryCompactedException extends OutOfRangeException {
  HistoryCompactedException(CallFailure failure) {
    super(failure);
  }

  /** Since when it is known. Empty when the daemon did not tell. */
  public Optional<Instant> oldestTime() {
    OptionalLong oldestNs = number("oldest_time");
    return oldestNs.isPresent()
        ? Optional.of(Instant.ofEpochSecond(0, oldestNs.getAsLong()))
        : Optional.empty();
  }
}
