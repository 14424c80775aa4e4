package io.memoryd.client;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/** The waits after failures in a row: growing, bounded, and never the same for two clients. */
final class Backoff {
  private static final Duration FIRST = Duration.ofMillis(100);
  // So many doublings are longer than any bound; more would overflow.
  private static final int DOUBLINGS_MAX = 16;

  private final Duration longest;
  private final DoubleSupplier random;

  /** Waits at most {@code longest}; {@code random} answers numbers from 0 to 1. */
  Backoff(Duration longest, DoubleSupplier random) {
    this.longest = longest;
    this.random = random;
  }

  /** Answers the wait after the n-th failure in a row, counted from 1. */
  Duration after(int failures) {
    Duration grown = FIRST.multipliedBy(1L << Math.min(failures - 1, DOUBLINGS_MAX));
    Duration bounded = grown.compareTo(longest) < 0 ? grown : longest;
    return Duration.ofNanos((long) (bounded.toNanos() * (0.5 + random.getAsDouble() / 2)));
  }
}
