package io.memoryd.client;

import io.memoryd.v1.Consistency;
import java.time.Duration;
import java.util.Optional;

/**
 * How a working memory reads.
 *
 * @param localOnly if true, reads do not fall back to the parents
 * @param consistency how current the reads are; empty for every change before the read
 */
record Reading(boolean localOnly, Optional<Consistency> consistency) {
  /** Reads fall back to the parents, and have every change before them. */
  static final Reading DEFAULT = new Reading(false, Optional.empty());

  /** Reads do not fall back to the parents, and have every change before them. */
  static final Reading OWN = DEFAULT.local();

  Reading local() {
    return new Reading(true, consistency);
  }

  Reading withMinRevision(long revision) {
    return with(Consistency.newBuilder().setMinRevision(revision));
  }

  Reading withMaxStaleness(Duration staleness) {
    return with(Consistency.newBuilder().setMaxStaleness(Durations.toMessage(staleness)));
  }

  private Reading with(Consistency.Builder requirement) {
    return new Reading(localOnly, Optional.of(requirement.build()));
  }
}
