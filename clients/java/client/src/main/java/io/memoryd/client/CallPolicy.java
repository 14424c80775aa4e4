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

/** The timeouts, request ids and retries of every call of a client, also of those on its stubs. */
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
        bounded);
  }

  /**
   * Returns whether a failed call may be sent again, which the idempotency level in the method's
   * proto specifies.
   */
  static boolean repeatable(MethodDescriptor<?, ?> method) {
    return method.isSafe() || method.isIdempotent();
  }

  /**
   * Marks the client as closed: calls that fail from now on were cancelled by that, and are not
   * retried.
   */
  void close() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
  }

  /** Records a response: the daemon exists, and is waited for when it becomes unavailable. */
  void answered() {
    heardFromDaemon = true;
  }

  /** Records an error of a call. One with a reason is a response of the daemon, too. */
  void failed(CallFailedException error) {
    heardFromDaemon |= !error.reason().isEmpty();
  }

  /**
   * Returns UNAVAILABLE for a broken connection, for which the transport sometimes has UNKNOWN.
   * Unlike a status of the daemon, that one has a cause.
   */
  static Status normalized(Status status) {
    return status.getCode() == Status.Code.UNKNOWN && status.getCause() instanceof IOException
        ? Status.UNAVAILABLE.withDescription(status.getDescription()).withCause(status.getCause())
        : status;
  }

  /** Returns the status for the caller: CANCELLED for any failure once the client is closed. */
  Status forCaller(Status status) {
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
