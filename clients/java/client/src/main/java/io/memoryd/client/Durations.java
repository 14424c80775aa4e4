package io.memoryd.client;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import java.time.Instant;

/** Conversion of durations and times to messages. */
final class Durations {
  private Durations() {}

  static Duration toMessage(java.time.Duration duration) {
    return Duration.newBuilder()
        .setSeconds(duration.getSeconds())
        .setNanos(duration.getNano())
        .build();
  }

  static Timestamp toMessage(Instant moment) {
    return Timestamp.newBuilder()
        .setSeconds(moment.getEpochSecond())
        .setNanos(moment.getNano())
        .build();
  }

  static java.time.Duration fromMessage(Duration duration) {
    return java.time.Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
  }
}
