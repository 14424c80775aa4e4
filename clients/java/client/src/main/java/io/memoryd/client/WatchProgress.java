package io.memoryd.client;

import io.memoryd.client.error.CallFailedException;
import io.memoryd.v1.WatchEventsRequest;
import io.memoryd.v1.WatchEventsResponse;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A watch without its connection: what to ask for, what an answer means, and what to do when it
 * breaks. One thread uses it; what {@link Watch} tells to others may be read by any.
 */
final class WatchProgress {
  static final Duration LONGEST_DELAY = Duration.ofSeconds(5);

  private final WatchEventsRequest first;
  private final Duration outageMax;
  private final LongSupplier nanoTime;
  private final Backoff backoff;

  private String position;
  private boolean opened;
  private boolean heardInitialState;
  private int failures;
  private boolean away = true;
  private long awaySince;
  private Duration awayMax;

  private volatile String resumeToken;
  private volatile long revision;
  private volatile boolean initialStateComplete;
  private volatile int resumes;

  /**
   * {@code connectTimeout} and {@code outageMax} are how long the daemon may stay away at first,
   * and later.
   */
  WatchProgress(
      WatchEventsRequest request,
      Duration connectTimeout,
      Duration outageMax,
      LongSupplier nanoTime,
      Backoff backoff) {
    this.first = request;
    this.outageMax = outageMax;
    this.nanoTime = nanoTime;
    this.backoff = backoff;
    position = request.getResumeToken();
    resumeToken = position;
    initialStateComplete = !request.getIncludeInitialState();
    awaySince = nanoTime.getAsLong();
    awayMax = connectTimeout;
  }

  /** Answers what to ask for now: from the start, or after the last message that came. */
  WatchEventsRequest request() {
    return position.isEmpty() ? first : first.toBuilder().setResumeToken(position).build();
  }

  /** Notes a message that came. */
  void receive(WatchEventsResponse response) {
    failures = 0;
    away = false;
    switch (response.getPhase()) {
      case WATCH_PHASE_OPENED -> {
        resumes += opened ? 1 : 0;
        opened = true;
      }
      case WATCH_PHASE_INITIAL_STATE -> heardInitialState = true;
      case WATCH_PHASE_INITIAL_STATE_COMPLETE -> initialStateComplete = true;
      default -> {}
    }
    // A token from before the end of the initial state would resume without the rest of it.
    if (initialStateComplete && !response.getResumeToken().isEmpty()) {
      position = response.getResumeToken();
    }
  }

  /** Notes that the watcher has all of a message. */
  void delivered(WatchEventsResponse response) {
    if (initialStateComplete && !response.getResumeToken().isEmpty()) {
      resumeToken = response.getResumeToken();
    }
    if (response.getRevision() != 0) {
      revision = response.getRevision();
    }
  }

  /** Answers the wait before connecting again. Throws the error when that is of no use. */
  Duration lose(CallFailedException error) {
    if (!Attempts.mayPass(error)) {
      throw error;
    }
    if (!away) {
      away = true;
      awaySince = nanoTime.getAsLong();
      awayMax = outageMax;
    }
    failures++;
    Duration delay = backoff.after(failures);
    Duration asked = error.retryDelay().orElse(Duration.ZERO);
    delay = asked.compareTo(delay) > 0 ? asked : delay;
    // A Duration may be longer than a long can count: the conversion stops at its end.
    long left = TimeUnit.NANOSECONDS.convert(awayMax) - (nanoTime.getAsLong() - awaySince);
    if (TimeUnit.NANOSECONDS.convert(delay) >= left) {
      throw error;
    }
    return delay;
  }

  /**
   * Whether the watcher is to be told that the initial state begins again, since it had heard some
   * of it.
   */
  boolean restart() {
    boolean lost = heardInitialState && !initialStateComplete;
    heardInitialState &= !lost;
    return lost;
  }

  String resumeToken() {
    return resumeToken;
  }

  long revision() {
    return revision;
  }

  boolean initialStateComplete() {
    return initialStateComplete;
  }

  int resumes() {
    return resumes;
  }
}
