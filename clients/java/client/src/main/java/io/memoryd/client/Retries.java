package io.memoryd.client;

import io.grpc.CallOptions;

/** The permission to retry calls that are made one after the other. Safe for use by any thread. */
final class Retries {
  static final CallOptions.Key<Retries> OPTION = CallOptions.Key.create("memoryd-retries");

  private boolean ended;
  private Runnable pauseEnd = () -> {};

  /** Ends a pause before a retry, and lets no further retry begin. A running attempt goes on. */
  void end() {
    Runnable paused;
    synchronized (this) {
      ended = true;
      paused = pauseEnd;
    }
    paused.run();
  }

  synchronized boolean isEnded() {
    return ended;
  }

  /** Has a function called when the retries end, in place of an earlier function. */
  void onEnd(Runnable endPause) {
    synchronized (this) {
      pauseEnd = endPause;
      if (!ended) {
        return;
      }
    }
    endPause.run();
  }
}
