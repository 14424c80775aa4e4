package io.memoryd.client;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * The waits after consecutive failures. They double up to a maximum. A random factor spreads the
 * clients, so that they do not return to a restarted daemon all at once.
 */
final class Backoff {
  private static final Duration FIRST = Duration.ofMillis(100);
  // This many doublings exceed any maximum; more would overflow.
  private static final int DOUBLINGS_MAX = 16;

  private final Duration longest;
  private final DoubleSupplier random;

  /** Waits at most {@code longest}. {@code random} supplies numbers from 0 to 1. */
  Backoff(Duration longest, DoubleSupplier random) {
    this.longest = longest;
    this.random = random;
  }

  /** Returns the wait after this number of consecutive failures, from 1. */
  Duration after(int failures) {
    Duration grown = FIRST.multipliedBy(1L << Math.min(failures - 1, DOUBLINGS_MAX));
    Duration bounded = grown.compareTo(longest) < 0 ? grown : longest;
    return Duration.ofNanos((long) (bounded.toNanos() * (0.5 + random.getAsDouble() / 2)));
  }
}
