package io.memoryd.client;

import com.google.protobuf.Duration;

/** Lengths of time as messages. */
final class Durations {
  private Durations() {}

  static Duration toMessage(java.time.Duration duration) {
    return Duration.newBuilder()
        .setSeconds(duration.getSeconds())
        .setNanos(duration.getNano())
        .build();
  }
}
