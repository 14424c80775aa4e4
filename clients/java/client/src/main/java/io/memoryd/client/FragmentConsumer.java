package io.memoryd.client;

import io.memoryd.client.error.CallFailedException;
import io.memoryd.client.error.InvalidArgumentException;
import io.memoryd.client.error.LeaseLostException;
import io.memoryd.client.error.PermissionDeniedException;
import io.memoryd.client.error.UnauthenticatedException;
import io.memoryd.client.error.UnimplementedException;
import io.memoryd.v1.FragmentServiceGrpc;
import io.memoryd.v1.LeaseFragmentsResponse;
import io.memoryd.v1.RenewFragmentLeaseRequest;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Delivers flushed fragments to a handler, each at least once, also across restarts of the daemon.
 *
 * <pre>{@code
 * try (FragmentConsumer consumer = agent.fragments().consumer(delivery -> consolidate(delivery))) {
 *   // …
 * }
 * }</pre>
 *
 * <p>When the handler returns, its fragments leave the buffer. When it throws an exception, they
 * are delivered again, and the consumer pauses for up to 30 seconds. Their lease is renewed while
 * the handler runs, however long that takes.
 *
 * <p>A consumer ends when it or its client is closed, and with an error that no retry can resolve:
 * {@link InvalidArgumentException}, {@link PermissionDeniedException}, {@link
 * UnauthenticatedException} or {@link UnimplementedException}. Its thread does not keep the program
 * running.
 */
public final class FragmentConsumer implements AutoCloseable {
  private static final Logger LOG = System.getLogger(FragmentConsumer.class.getName());
  // How long one call waits for fragments. None is cancelled when the consumer is closed: the
  // daemon may have leased fragments to it already, which nobody would get before the lease
  // expires.
  private static final Duration WAIT = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
  // A pause checks this often whether the client is closed.
  private static final Duration LONGEST_SLEEP = Duration.ofSeconds(1);

  private final Kind fragments;
  private final FragmentHandler handler;
  private final FragmentConsumerOptions options;
  private final Retries retries = new Retries();
  private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
  private final Thread thread = new Thread(this::run, "memoryd-consumer");
  private final Backoff backoff =
      new Backoff(LONGEST_PAUSE, () -> ThreadLocalRandom.current().nextDouble());

  private FragmentConsumer(
      Kind fragments, FragmentHandler handler, FragmentConsumerOptions options) {
    this.fragments = fragments;
    this.handler = Objects.requireNonNull(handler, "handler");
    this.options = options;
  }

  static FragmentConsumer start(
      Kind fragments, FragmentHandler handler, FragmentConsumerOptions options) {
    FragmentConsumer consumer = new FragmentConsumer(fragments, handler, options);
    consumer.thread.setDaemon(true);
    consumer.thread.start();
    return consumer;
  }

  /**
   * Returns a future that completes when the consumer has ended, exceptionally if it has ended with
   * an error.
   */
  public CompletableFuture<@Nullable Void> ended() {
    return ended.copy();
  }

  /**
   * Ends the consumer once a running handler has returned. A pending call for fragments ends within
   * a second, and what it still receives is released. Throws the error that the consumer ended
   * with. If the thread is interrupted, it returns at once, and the consumer ends later; so it does
   * in the handler.
   */
  @Override
  public void close() {
    closeAsync();
    if (Thread.currentThread() == thread) {
      return;
    }
    try {
      ended.get();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) failed.getCause();
    }
  }

  /** Ends the consumer as {@link #close} does, without waiting, and returns {@link #ended}. */
  public CompletableFuture<@Nullable Void> closeAsync() {
    retries.end();
    synchronized (this) {
      notifyAll();
    }
    return ended();
  }

  private boolean isOver() {
    return retries.isEnded() || fragments.connection().isClosed();
  }

  private void run() {
    try {
      deliver();
      ended.complete(null);
    } catch (RuntimeException | Error failed) {
      LOG.log(Level.ERROR, "the consumer of fragments has ended", failed);
      ended.completeExceptionally(failed);
    }
  }

  private void deliver() {
    int failures = 0;
    while (!isOver()) {
      try {
        failures = turn() ? 0 : failures + 1;
      } catch (CallFailedException error) {
        if (isOver()) {
          return;
        }
        if (isPermanent(error)) {
          throw error;
        }
        options.onError().accept(error);
        failures++;
      }
      if (failures > 0) {
        pause(backoff.after(failures));
      }
    }
  }

  /** Returns whether no retry can resolve an error. */
  private static boolean isPermanent(CallFailedException error) {
    return error instanceof InvalidArgumentException
        || error instanceof PermissionDeniedException
        || error instanceof UnauthenticatedException
        || error instanceof UnimplementedException;
  }

  /** Has some fragments handled, if there are any. Returns false if the handler has failed. */
  private boolean turn() {
    LeaseFragmentsOptions taken =
        LeaseFragmentsOptions.DEFAULT
            .withLimit(options.limit())
            .withLeaseDuration(options.lease())
            .withWaitDuration(WAIT);
    LeaseFragmentsResponse leased =
        fragments.call(FragmentServiceGrpc.getLeaseFragmentsMethod(), taken, retries);
    if (leased.getFragmentsCount() == 0) {
      return true;
    }
    String token = leased.getLeaseToken();
    if (isOver()) {
      release(token);
      return true;
    }
    try {
      handle(leased);
    } catch (Exception failed) {
      release(token);
      options.onError().accept(failed);
      return false;
    } catch (Error failed) {
      release(token);
      throw failed;
    }
    try {
      var handled = AcknowledgeFragmentsOptions.DEFAULT.with("lease_token", token);
      fragments.call(FragmentServiceGrpc.getAcknowledgeFragmentsMethod(), handled, retries);
    } catch (LeaseLostException lost) {
      // They are not released: they were handled, and the daemon may have removed them before the
      // call failed.
      options.onError().accept(lost);
    }
    return true;
  }

  @SuppressWarnings("try") // the renewal is only closed
  private void handle(LeaseFragmentsResponse leased) throws Exception {
    FragmentDelivery delivery = new FragmentDelivery(leased.getFragmentsList());
    RenewFragmentLeaseRequest renewal =
        RenewFragmentLeaseRequest.newBuilder()
            .setAgentId(fragments.agentId())
            .setLeaseToken(leased.getLeaseToken())
            .setLeaseDuration(Durations.toMessage(options.lease()))
            .build();
    try (LeaseRenewal renewing =
        LeaseRenewal.begin(
            fragments.connection(),
            FragmentServiceGrpc.getRenewFragmentLeaseMethod(),
            renewal,
            options.lease(),
            delivery::loseLease)) {
      handler.handle(delivery);
    } finally {
      // What a handler leaves of an interrupt must not end the consumer's next call.
      Thread.interrupted();
    }
  }

  /** Releases fragments for other consumers. If that fails, the lease expires anyway. */
  private void release(String token) {
    var released = ReleaseFragmentsOptions.DEFAULT.with("lease_token", token);
    try {
      fragments.call(FragmentServiceGrpc.getReleaseFragmentsMethod(), released, retries);
    } catch (CallFailedException failed) {
      LOG.log(Level.DEBUG, "fragments not released", failed);
    }
  }

  private synchronized void pause(Duration duration) {
    long end = System.nanoTime() + duration.toNanos();
    try {
      for (long left = duration.toNanos(); left > 0 && !isOver(); left = end - System.nanoTime()) {
        long nanos = Math.min(left, LONGEST_SLEEP.toNanos());
        TimeUnit.NANOSECONDS.timedWait(this, nanos);
      }
    } catch (InterruptedException interrupted) {
      // Nobody interrupts this thread but a handler, whose interrupts do not count.
    }
  }
}
