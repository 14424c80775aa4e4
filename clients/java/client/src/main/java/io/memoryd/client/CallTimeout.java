package io.memoryd.client;

import io.grpc.CallOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The timeout of a call with all its retries; empty for the client's. */
record CallTimeout(Optional<Duration> timeout) {
  static final CallTimeout DEFAULT = new CallTimeout(Optional.empty());

  static CallTimeout of(Duration timeout) {
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException("a timeout must be positive, not " + timeout);
    }
    return new CallTimeout(Optional.of(timeout));
  }

  /** Returns the options of a call that begins now. */
  CallOptions options() {
    return timeout
        .map(TimeUnit.NANOSECONDS::convert)
        .map(nanos -> CallOptions.DEFAULT.withDeadlineAfter(nanos, TimeUnit.NANOSECONDS))
        .orElse(CallOptions.DEFAULT);
  }
}
