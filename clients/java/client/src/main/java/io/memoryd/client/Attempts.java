package io.memoryd.client;

import io.grpc.Deadline;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.client.error.CancelledException;
import io.memoryd.client.error.UnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The attempts of one call: whether there is another one after a failure, and when. */
final class Attempts {
  static final Duration LONGEST_DELAY = Duration.ofSeconds(2);

  private final boolean repeatable;
  private final Deadline patientUntil;
  private final Backoff backoff;
  private int failures;

  /** Makes attempts until {@code patientUntil}; only one when the call is not repeatable. */
  Attempts(boolean repeatable, Deadline patientUntil, Backoff backoff) {
    this.repeatable = repeatable;
    this.patientUntil = patientUntil;
    this.backoff = backoff;
  }

  /**
   * Whether the daemon may be back in a while. A daemon that stops cancels what arrives in that
   * very moment.
   */
  static boolean mayPass(CallFailedException error) {
    return error instanceof UnavailableException || error instanceof CancelledException;
  }

  /** Answers the wait before the next attempt; empty when there is to be none. */
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
