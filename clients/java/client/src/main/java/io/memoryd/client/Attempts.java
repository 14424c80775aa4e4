package io.memoryd.client;

import io.grpc.Deadline;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.client.error.CancelledException;
import io.memoryd.client.error.OverloadedException;
import io.memoryd.client.error.UnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Decides whether and when a failed call is retried. */
final class Attempts {
  static final Duration LONGEST_DELAY = Duration.ofSeconds(2);

  private final boolean repeatable;
  private final Deadline patientUntil;
  private final Backoff backoff;
  private int failures;

  /** Allows attempts until {@code patientUntil}, or only one if the call is not repeatable. */
  Attempts(boolean repeatable, Deadline patientUntil, Backoff backoff) {
    this.repeatable = repeatable;
    this.patientUntil = patientUntil;
    this.backoff = backoff;
  }

  /**
   * Returns whether the cause may pass, so that a retry is useful. Cancelled is among them because
   * a daemon that stops cancels the calls that arrive at that moment.
   */
  static boolean mayPass(CallFailedException error) {
    return error instanceof UnavailableException
        || error instanceof CancelledException
        || error instanceof OverloadedException;
  }

  /** Returns the wait before the next attempt, or empty if there is none. */
  Optional<Duration> delayAfter(CallFailedException error) {
    failures++;
    if (!repeatable || !mayPass(error)) {
      return Optional.empty();
    }
    Duration delay = error.retryDelay().orElseGet(() -> backoff.after(failures));
    Duration left = Duration.ofNanos(patientUntil.timeRemaining(TimeUnit.NANOSECONDS));
    return delay.compareTo(left) < 0 ? Optional.of(delay) : Optional.empty();
  }
}
