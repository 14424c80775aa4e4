package io.memoryd.client;

import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.client.error.LeaseLostException;
import io.memoryd.client.error.RecordNotFoundException;
import io.memoryd.client.error.ReservationLostException;
import io.memoryd.v1.CreateScopeRequest;
import io.memoryd.v1.GetScopeRequest;
import io.memoryd.v1.GetScopeResponse;
import io.memoryd.v1.WorkingMemoryServiceGrpc;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Renews the lease of a reservation or of fragments, or the idle time of a scope, until it is
 * closed, one call at a time, without a thread of its own.
 */
final class LeaseRenewal implements AutoCloseable {
  private static final Logger LOG = System.getLogger(LeaseRenewal.class.getName());
  // One renewal may fail: the next one still comes before the lease expires.
  private static final int RENEWALS_PER_LEASE = 3;

  private final Connection connection;
  private final Runnable call;
  private final Duration lease;
  private volatile boolean ended;
  private volatile @Nullable Future<?> next;

  private <Q, S> LeaseRenewal(
      Connection connection,
      MethodDescriptor<Q, S> method,
      Q request,
      Duration lease,
      Predicate<S> isLost,
      Runnable onLost) {
    this.connection = connection;
    this.lease = lease;
    call =
        () -> {
          // After the lease this renewal is useless: the deadline makes room for the next one.
          CallOptions options =
              CallOptions.DEFAULT.withDeadlineAfter(lease.toNanos(), TimeUnit.NANOSECONDS);
          ClientCalls.asyncUnaryCall(
              connection.channel().newCall(method, options),
              request,
              new Observer<S>(isLost, onLost));
        };
  }

  /**
   * Begins to send {@code request} three times per {@code lease}. Calls {@code onLost} if the lease
   * is lost, which ends the renewal.
   */
  static <Q, S> LeaseRenewal begin(
      Connection connection,
      MethodDescriptor<Q, S> method,
      Q request,
      Duration lease,
      Runnable onLost) {
    return begin(connection, method, request, lease, response -> false, onLost);
  }

  /**
   * Begins to read a new scope three times per idle time, which is a use, until it has ended.
   * Returns null if it has no idle time.
   */
  static @Nullable LeaseRenewal ofNewScope(
      Connection connection, Place place, CreateScopeRequest created) {
    if (!created.hasIdleTtl()) {
      return null;
    }
    GetScopeRequest request =
        GetScopeRequest.newBuilder()
            .setAgentId(place.agentId())
            .setScopeId(place.scopeId())
            .build();
    Predicate<GetScopeResponse> isDisposed = response -> response.getScope().getDisposed();
    MethodDescriptor<GetScopeRequest, GetScopeResponse> method =
        WorkingMemoryServiceGrpc.getGetScopeMethod();
    Duration idleTtl = Durations.fromMessage(created.getIdleTtl());
    return begin(connection, method, request, idleTtl, isDisposed, () -> {});
  }

  private static <Q, S> LeaseRenewal begin(
      Connection connection,
      MethodDescriptor<Q, S> method,
      Q request,
      Duration lease,
      Predicate<S> isLost,
      Runnable onLost) {
    LeaseRenewal renewal = new LeaseRenewal(connection, method, request, lease, isLost, onLost);
    renewal.schedule();
    return renewal;
  }

  @Override
  public void close() {
    ended = true;
    if (next != null) {
      next.cancel(false);
    }
  }

  private void schedule() {
    long interval = lease.toNanos() / RENEWALS_PER_LEASE;
    try {
      next = connection.timer().schedule(this::renew, interval, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException closed) {
      // The client is closed: nothing can be done with what is leased any more.
    }
  }

  private void renew() {
    if (!ended) {
      call.run();
    }
  }

  private final class Observer<S> implements StreamObserver<S> {
    private final Predicate<S> isLost;
    private final Runnable onLost;
    private boolean lost;

    Observer(Predicate<S> isLost, Runnable onLost) {
      this.isLost = isLost;
      this.onLost = onLost;
    }

    @Override
    public void onNext(S response) {
      lost = isLost.test(response);
    }

    @Override
    public void onError(Throwable thrown) {
      CallFailedException error =
          CallFailedException.from(
              Status.fromThrowable(thrown), Status.trailersFromThrowable(thrown));
      if (ended) {
        return;
      }
      if (error instanceof ReservationLostException
          || error instanceof LeaseLostException
          || error instanceof RecordNotFoundException) {
        onLost.run();
        return;
      }
      LOG.log(Level.WARNING, "lease not renewed: {0}", error.getMessage());
      schedule();
    }

    @Override
    public void onCompleted() {
      if (lost) {
        onLost.run();
      } else {
        schedule();
      }
    }
  }
}
