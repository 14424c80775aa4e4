package io.memoryd.client.error;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** The memories of the requested time are no longer retained. */
public final class HistoryCompactedException extends OutOfRangeException {
  HistoryCompactedException(CallFailure failure) {
    super(failure);
  }

  /** Returns the oldest time that is retained. Empty if the daemon sent none. */
  public Optional<Instant> oldestTime() {
    OptionalLong oldestNs = number("oldest_time");
    return oldestNs.isPresent()
        ? Optional.of(Instant.ofEpochSecond(0, oldestNs.getAsLong()))
        : Optional.empty();
  }
}
