package io.memoryd.client;

import io.memoryd.client.error.CallFailedException;
import io.memoryd.v1.WatchEventsRequest;
import io.memoryd.v1.WatchEventsResponse;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The state of a watch across its connections: builds requests, processes messages, and decides
 * whether to reconnect. Does no I/O. One thread changes it; any thread may call its getters.
 */
final class WatchProgress {
  static final Duration LONGEST_DELAY = Duration.ofSeconds(5);

  private final WatchEventsRequest first;
  private final Duration outageMax;
  private final LongSupplier nanoTime;
  private final Backoff backoff;

  // The token after the last message that was received, where a reconnection continues.
  private String position;
  private boolean opened;
  private boolean heardInitialState;
  private int failures;
  private boolean away = true;
  private long awaySince;
  private Duration awayMax;

  // The token after the last message whose events were all delivered.
  private volatile String resumeToken;
  private volatile long revision;
  private volatile boolean initialStateComplete;
  private volatile int resumes;

  /**
   * Begins a watch. {@code connectTimeout} limits how long the daemon may stay unavailable before
   * the watch has opened, and {@code outageMax} after that.
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

  /** Returns the next connection's request: from the start, or after the last received message. */
  WatchEventsRequest request() {
    return position.isEmpty() ? first : first.toBuilder().setResumeToken(position).build();
  }

  /** Processes a message from the daemon. */
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

  /** Advances the resume token past a message whose events were all delivered. */
  void delivered(WatchEventsResponse response) {
    if (initialStateComplete && !response.getResumeToken().isEmpty()) {
      resumeToken = response.getResumeToken();
    }
    if (response.getRevision() != 0) {
      revision = response.getRevision();
    }
  }

  /** Returns the wait before the next connection. Throws the error if there is none. */
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
    Duration requested = error.retryDelay().orElse(Duration.ZERO);
    delay = requested.compareTo(delay) > 0 ? requested : delay;
    // A Duration may exceed a long of nanoseconds: the conversion saturates.
    long left = TimeUnit.NANOSECONDS.convert(awayMax) - (nanoTime.getAsLong() - awaySince);
    if (TimeUnit.NANOSECONDS.convert(delay) >= left) {
      throw error;
    }
    return delay;
  }

  /**
   * Returns whether the initial state begins again, so that the watcher must discard the part that
   * it received.
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
