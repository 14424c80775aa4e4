package io.memoryd.client;

import io.grpc.CallOptions;
import io.memoryd.client.error.ReservationLostException;
import io.memoryd.v1.ReserveEntryResponse;
import io.memoryd.v1.ReserveOutcome;
import io.memoryd.v1.WorkingMemoryServiceGrpc;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A {@link Reservation} without blocking. */
final class AsyncReservation<T> {
  private final Connection connection;
  private final Reservation<T> reservation;
  private final Supplier<? extends CompletionStage<? extends @Nullable T>> factory;
  private final Steps<@Nullable T> steps = new Steps<>();
  // A value is made once, as in Reservation.
  private volatile @Nullable Json made;

  AsyncReservation(
      Connection connection,
      Reservation<T> reservation,
      Supplier<? extends CompletionStage<? extends @Nullable T>> factory) {
    this.connection = connection;
    this.reservation = reservation;
    this.factory = factory;
  }

  CompletableFuture<@Nullable T> getOrSet() {
    reserve();
    return steps.result();
  }

  private void reserve() {
    Duration wait = reservation.nextWait();
    long nanos = TimeUnit.NANOSECONDS.convert(connection.settings().timeout().plus(wait));
    steps.after(
        Futures.call(
            connection.channel(),
            WorkingMemoryServiceGrpc.getReserveEntryMethod(),
            CallOptions.DEFAULT.withDeadlineAfter(nanos, TimeUnit.NANOSECONDS),
            reservation.reserving(wait),
            Function.identity()),
        this::goOn);
  }

  private void goOn(ReserveEntryResponse answer) {
    if (answer.getOutcome() == ReserveOutcome.RESERVE_OUTCOME_FOUND) {
      steps.complete(reservation.read(answer.getEntry().getValueJson()));
    } else if (answer.getOutcome() == ReserveOutcome.RESERVE_OUTCOME_HELD) {
      reservation.checkPatience();
      reserve();
    } else if (made != null) {
      store(made, answer.getReservationToken());
    } else {
      make(answer.getReservationToken());
    }
  }

  private void make(String token) {
    if (steps.isDone()) {
      giveUp(token, new CancellationException());
      return;
    }
    LeaseRenewal renewing = reservation.renew(token);
    CompletableFuture<? extends @Nullable T> making;
    try {
      making = factory.get().toCompletableFuture();
    } catch (RuntimeException | Error failed) {
      making = CompletableFuture.failedFuture(failed);
    }
    steps.after(
        making,
        value -> {
          renewing.close();
          Json text = new Json(connection.values().write(value));
          made = text;
          store(text, token);
        },
        error -> {
          renewing.close();
          giveUp(token, error);
        });
  }

  private void store(Json value, String token) {
    steps.after(
        Futures.call(
            connection.channel(),
            WorkingMemoryServiceGrpc.getSetEntryMethod(),
            CallOptions.DEFAULT,
            reservation.storing(value, token),
            Function.identity()),
        stored -> steps.complete(reservation.read(value.text())),
        error -> {
          if (error instanceof ReservationLostException) {
            reserve();
          } else {
            giveUp(token, error);
          }
        });
  }

  /** Releases the reservation for the next caller, and fails. */
  private void giveUp(String token, Throwable error) {
    Futures.call(
            connection.channel(),
            WorkingMemoryServiceGrpc.getReleaseReservationMethod(),
            CallOptions.DEFAULT,
            reservation.releasing(token),
            Function.identity())
        // If that fails, the lease expires anyway.
        .whenComplete((released, ignored) -> steps.fail(error));
  }
}
