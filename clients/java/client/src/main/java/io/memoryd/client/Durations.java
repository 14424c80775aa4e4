package io.memoryd.client;

import com.google.protobuf.Duration;

/** Conversion of durations to messages. */
final class Durations {
  private Durations() {}

  static Duration toMessage(java.time.Duration duration) {
    return Duration.newBuilder()
        .setSeconds(duration.getSeconds())
        .setNanos(duration.getNano())
        .build();
  }
}
