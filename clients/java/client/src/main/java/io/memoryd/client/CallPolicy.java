package io.memoryd.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Deadline;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.memoryd.client.error.CallFailedException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * What holds for every call of a client, of the layer's and of the stubs alike: timeouts, request
 * ids and repeats.
 */
final class CallPolicy implements ClientInterceptor {
  private final Duration timeout;
  private final Duration connectTimeout;
  private final ScheduledExecutorService timer;
  private final Backoff backoff =
      new Backoff(Attempts.LONGEST_DELAY, () -> ThreadLocalRandom.current().nextDouble());
  private volatile boolean heardFromDaemon;
  private volatile boolean closed;

  CallPolicy(Duration timeout, Duration connectTimeout, ScheduledExecutorService timer) {
    this.timeout = timeout;
    this.connectTimeout = connectTimeout;
    this.timer = timer;
  }

  @Override
  public <Q, S> ClientCall<Q, S> interceptCall(
      MethodDescriptor<Q, S> method, CallOptions options, Channel next) {
    if (method.getType() != MethodType.UNARY) {
      return new StreamingCall<>(next.newCall(method, options), this);
    }
    CallOptions bounded =
        options.getDeadline() == null
            ? options.withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS)
            : options;
    return new UnaryCall<>(
        () -> next.newCall(method, bounded),
        new Attempts(repeatable(method), patientUntil(bounded), backoff),
        this,
        timer,
        bounded.getExecutor());
  }

  /**
   * Whether a failed call may be sent again: the idempotency level in the method's proto says so.
   */
  static boolean repeatable(MethodDescriptor<?, ?> method) {
    return method.isSafe() || method.isIdempotent();
  }

  /**
   * Notes that the client is closed: what fails from now on was cancelled by that, and is not tried
   * again.
   */
  void close() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
  }

  /** Notes an answer: the daemon is there, and will be waited for when it goes away. */
  void answered() {
    heardFromDaemon = true;
  }

  /** Notes an error of a call. One with a reason is an answer, too. */
  void failed(CallFailedException error) {
    heardFromDaemon |= !error.reason().isEmpty();
  }

  /**
   * Answers what a status means: the transport calls some connections that broke UNKNOWN. A status
   * of the daemon has no cause.
   */
  static Status understood(Status status) {
    return status.getCode() == Status.Code.UNKNOWN && status.getCause() instanceof IOException
        ? Status.UNAVAILABLE.withDescription(status.getDescription()).withCause(status.getCause())
        : status;
  }

  /** Answers the status to tell the caller. */
  Status told(Status status) {
    return closed && !status.isOk()
        ? Status.CANCELLED.withDescription("the client is closed").withCause(status.getCause())
        : status;
  }

  private Deadline patientUntil(CallOptions options) {
    if (heardFromDaemon) {
      return options.getDeadline();
    }
    Deadline connecting = Deadline.after(connectTimeout.toNanos(), TimeUnit.NANOSECONDS);
    return options.getDeadline().minimum(connecting);
  }
}
