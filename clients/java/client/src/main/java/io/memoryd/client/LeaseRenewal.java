package io.memoryd.client;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.client.error.ReservationLostException;
import io.memoryd.v1.RenewReservationRequest;
import io.memoryd.v1.RenewReservationResponse;
import io.memoryd.v1.WorkingMemoryServiceGrpc;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Renews the lease of a reservation until it is closed, one call at a time, without a thread of its
 * own.
 */
final class LeaseRenewal implements AutoCloseable {
  private static final Logger LOG = System.getLogger(LeaseRenewal.class.getName());
  // One renewal may fail: the next one still comes before the lease expires.
  private static final int RENEWALS_PER_LEASE = 3;

  private final Connection connection;
  private final RenewReservationRequest request;
  private final Duration lease;
  private volatile boolean ended;
  private volatile Future<?> next;

  private LeaseRenewal(Connection connection, RenewReservationRequest request, Duration lease) {
    this.connection = connection;
    this.request = request;
    this.lease = lease;
  }

  /** Begins to send {@code request} three times per {@code lease}. */
  static LeaseRenewal begin(
      Connection connection, RenewReservationRequest request, Duration lease) {
    LeaseRenewal renewal = new LeaseRenewal(connection, request, lease);
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
      // The client is closed: the value of the factory cannot be stored any more.
    }
  }

  private void renew() {
    if (ended) {
      return;
    }
    WorkingMemoryServiceGrpc.newStub(connection.channel())
        // After the lease this renewal is useless: the deadline makes room for the next one.
        .withDeadlineAfter(lease.toNanos(), TimeUnit.NANOSECONDS)
        .renewReservation(request, new RenewalObserver());
  }

  private final class RenewalObserver implements StreamObserver<RenewReservationResponse> {
    @Override
    public void onNext(RenewReservationResponse response) {}

    @Override
    public void onError(Throwable thrown) {
      CallFailedException error =
          CallFailedException.from(
              Status.fromThrowable(thrown), Status.trailersFromThrowable(thrown));
      if (ended || error instanceof ReservationLostException) {
        return;
      }
      LOG.log(Level.WARNING, "reservation not renewed: {0}", error.getMessage());
      schedule();
    }

    @Override
    public void onCompleted() {
      schedule();
    }
  }
}
