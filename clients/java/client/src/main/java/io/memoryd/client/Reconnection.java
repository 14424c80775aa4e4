package io.memoryd.client;

import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Reconnects a broken channel soon. By default gRPC waits for up to two minutes between its
 * attempts, which suits a remote service but not a daemon that has just restarted, and the channel
 * has no setting for it.
 */
final class Reconnection {
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(1);

  private final ManagedChannel channel;
  private final ScheduledExecutorService timer;
  private final Backoff backoff =
      new Backoff(LONGEST_DELAY, () -> ThreadLocalRandom.current().nextDouble());

  Reconnection(ManagedChannel channel, ScheduledExecutorService timer) {
    this.channel = channel;
    this.timer = timer;
  }

  /** Begins to observe the channel, until it is shut down. */
  void begin() {
    ConnectivityState state = channel.getState(false);
    if (state == ConnectivityState.SHUTDOWN) {
      return;
    }
    if (state == ConnectivityState.TRANSIENT_FAILURE) {
      connectAfter(1);
    }
    channel.notifyWhenStateChanged(state, this::begin);
  }

  private void connectAfter(int failures) {
    long delay = backoff.after(failures).toNanos();
    try {
      timer.schedule(() -> connect(failures), delay, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException closed) {
      // The client is closed.
    }
  }

  private void connect(int failures) {
    // The state does not change while the attempts of gRPC fail, so there is no notification.
    if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
      channel.resetConnectBackoff();
      connectAfter(failures + 1);
    }
  }
}
