package io.memoryd.client;

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

/**
 * A call of one request and one answer, made in as many attempts as it takes. gRPC has retries of
 * its own, but they do not keep the daemon's {@code RetryInfo}, and end long before a daemon has
 * restarted.
 */
final class UnaryCall<Q, S> extends ClientCall<Q, S> {
  private final Supplier<ClientCall<Q, S>> newAttempt;
  private final Attempts attempts;
  private final CallPolicy policy;
  private final ScheduledExecutorService timer;
  private final Executor executor;
  private final Context context = Context.current();

  private Listener<S> listener;
  private Metadata headers;
  private Q request;

  // Guarded by this: cancel comes from any thread.
  private ClientCall<Q, S> attempt;
  private Future<?> pause;
  private boolean cancelled;
  private boolean ended;

  /** {@code executor} runs what the caller is told, when it is not null. */
  UnaryCall(
      Supplier<ClientCall<Q, S>> newAttempt,
      Attempts attempts,
      CallPolicy policy,
      ScheduledExecutorService timer,
      Executor executor) {
    this.newAttempt = newAttempt;
    this.attempts = attempts;
    this.policy = policy;
    this.timer = timer;
    this.executor = executor == null ? Runnable::run : executor;
  }

  @Override
  public void start(Listener<S> listener, Metadata headers) {
    this.listener = listener;
    this.headers = headers;
  }

  @Override
  public void request(int count) {
    // Each attempt asks for its one answer.
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
  public synchronized void cancel(String message, Throwable cause) {
    cancelled = true;
    if (attempt != null) {
      attempt.cancel(message, cause);
    } else if (pause == null || pause.cancel(false)) {
      // Nothing is under way that would tell the caller.
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
    // Two, so that a second answer is noticed: it would be a defect.
    begun.request(2);
    begun.sendMessage(request);
    begun.halfClose();
  }

  /** Whether there will be another attempt. */
  private synchronized boolean tryAgainAfter(CallFailedException error) {
    attempt = null;
    if (cancelled || context.isCancelled() || policy.isClosed()) {
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

  /** An attempt may fail in the very moment in which the caller cancels. */
  private synchronized Status told(Status status) {
    return cancelled && !status.isOk()
        ? Status.CANCELLED.withDescription("the call was cancelled").withCause(status.getCause())
        : policy.told(status);
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
    private Metadata answerHeaders = new Metadata();
    private boolean answered;

    @Override
    public void onHeaders(Metadata received) {
      answerHeaders = received;
    }

    @Override
    public void onMessage(S message) {
      if (!answered) {
        listener.onHeaders(answerHeaders);
      }
      answered = true;
      policy.answered();
      listener.onMessage(message);
    }

    @Override
    public void onClose(Status ended, Metadata trailers) {
      Status status = CallPolicy.understood(ended);
      if (!status.isOk()) {
        CallFailedException error = CallFailedException.from(status, trailers);
        policy.failed(error);
        if (!answered && tryAgainAfter(error)) {
          return;
        }
      }
      end(told(status), trailers);
    }
  }
}
