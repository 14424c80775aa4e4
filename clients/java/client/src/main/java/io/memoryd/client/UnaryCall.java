package io.memoryd.client;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import io.memoryd.client.error.CallFailedException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A unary call with its retries. gRPC has retries of its own, but they ignore the daemon's {@code
 * RetryInfo}, and end long before a daemon has restarted.
 */
final class UnaryCall<Q, S> extends ClientCall<Q, S> {
  private final Supplier<ClientCall<Q, S>> newAttempt;
  private final Attempts attempts;
  private final CallPolicy policy;
  private final ScheduledExecutorService timer;
  private final Executor executor;
  private final Retries retries;
  private final Context context = Context.current();

  private Listener<S> listener;
  private Metadata headers;
  private Q request;

  // Guarded by this: any thread may call cancel.
  private @Nullable ClientCall<Q, S> attempt;
  private @Nullable Future<?> pause;
  private boolean cancelled;
  private boolean ended;

  /** Runs the caller's listener on the executor of the options, if they have one. */
  UnaryCall(
      Supplier<ClientCall<Q, S>> newAttempt,
      Attempts attempts,
      CallPolicy policy,
      ScheduledExecutorService timer,
      CallOptions options) {
    this.newAttempt = newAttempt;
    this.attempts = attempts;
    this.policy = policy;
    this.timer = timer;
    executor = options.getExecutor() == null ? Runnable::run : options.getExecutor();
    Retries given = options.getOption(Retries.OPTION);
    retries = given == null ? new Retries() : given;
  }

  @Override
  public void start(Listener<S> listener, Metadata headers) {
    this.listener = listener;
    this.headers = headers;
  }

  @Override
  public void request(int count) {
    // Each attempt requests its one response itself.
  }

  @Override
  public void sendMessage(Q message) {
    request = RequestIds.withRequestId(message);
  }

  @Override
  public void halfClose() {
    begin();
  }

  @Override
  public synchronized void cancel(@Nullable String message, @Nullable Throwable cause) {
    cancelled = true;
    if (attempt != null) {
      attempt.cancel(message, cause);
    } else if (pause == null || pause.cancel(false)) {
      // No attempt runs that would end the call.
      Status status = Status.CANCELLED.withDescription(message).withCause(cause);
      executor.execute(() -> end(status, new Metadata()));
    }
  }

  private synchronized void begin() {
    if (cancelled) {
      executor.execute(() -> end(Status.CANCELLED, new Metadata()));
      return;
    }
    Metadata sent = new Metadata();
    sent.merge(headers);
    ClientCall<Q, S> begun = newAttempt.get();
    attempt = begun;
    begun.start(new AttemptListener(), sent);
    // Two, so that a second response is detected as an error.
    begun.request(2);
    begun.sendMessage(request);
    begun.halfClose();
  }

  /** Schedules the next attempt. Returns false if there is none. */
  private synchronized boolean tryAgainAfter(CallFailedException error) {
    attempt = null;
    if (cancelled || context.isCancelled() || policy.isClosed() || retries.isEnded()) {
      return false;
    }
    Optional<Duration> delay = attempts.delayAfter(error);
    if (delay.isEmpty()) {
      return false;
    }
    try {
      long nanos = delay.get().toNanos();
      pause = timer.schedule(context.wrap(this::begin), nanos, TimeUnit.NANOSECONDS);
      return true;
    } catch (RejectedExecutionException closed) {
      return false;
    }
  }

  /** Ends the call, with the status of its last attempt, if it waits for the next one. */
  private void endPause(Status status, Metadata trailers) {
    synchronized (this) {
      if (attempt != null || !pause.cancel(false)) {
        return;
      }
    }
    end(status, trailers);
  }

  /** Returns the status for the caller: CANCELLED if an attempt fails as the caller cancels. */
  private synchronized Status forCaller(Status status) {
    return cancelled && !status.isOk()
        ? Status.CANCELLED.withDescription("the call was cancelled").withCause(status.getCause())
        : policy.forCaller(status);
  }

  private void end(Status status, Metadata trailers) {
    synchronized (this) {
      attempt = null;
      if (ended) {
        return;
      }
      ended = true;
    }
    listener.onClose(status, trailers);
  }

  private final class AttemptListener extends Listener<S> {
    private Metadata responseHeaders = new Metadata();
    private boolean answered;

    @Override
    public void onHeaders(Metadata received) {
      responseHeaders = received;
    }

    @Override
    public void onMessage(S message) {
      if (!answered) {
        listener.onHeaders(responseHeaders);
      }
      answered = true;
      policy.answered();
      listener.onMessage(message);
    }

    @Override
    public void onClose(Status ended, Metadata trailers) {
      Status status = CallPolicy.normalized(ended);
      if (!status.isOk()) {
        CallFailedException error = CallFailedException.from(status, trailers);
        policy.failed(error);
        if (!answered && tryAgainAfter(error)) {
          retries.onEnd(() -> endPause(status, trailers));
          return;
        }
      }
      end(forCaller(status), trailers);
    }
  }
}
