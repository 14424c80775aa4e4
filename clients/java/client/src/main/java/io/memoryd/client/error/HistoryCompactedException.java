package io.memoryd.client.error;

import java.time.Instant;
import java.util.Optional;

/** The memories of the requested time are no longer retained. */
public final class HistoryCompactedException extends OutOfRangeException {
  HistoryCompactedException(CallFailure failure) {
    super(failure);
  }

  /** Returns the oldest time that is retained. Empty if the daemon sent none. */
  public Optional<Instant> oldestTime() {
    return Optional.ofNullable(metadata().get("oldest_time")).map(Instant::parse);
  }
}
