package io.memoryd.client;

import io.grpc.Deadline;
import io.grpc.Status;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.client.error.ReservationLostException;
import io.memoryd.v1.ReleaseReservationRequest;
import io.memoryd.v1.RenewReservationRequest;
import io.memoryd.v1.ReserveEntryRequest;
import io.memoryd.v1.ReserveEntryResponse;
import io.memoryd.v1.ReserveOutcome;
import io.memoryd.v1.SetEntryRequest;
import io.memoryd.v1.WorkingMemoryServiceGrpc;
import io.memoryd.v1.WorkingMemoryServiceGrpc.WorkingMemoryServiceBlockingStub;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Get-or-set with a factory, which runs once among all callers of all processes. */
final class Reservation<T> {
  private static final Duration WAIT_EACH = Duration.ofSeconds(20);

  private final Connection connection;
  private final Place place;
  private final String key;
  private final Type type;
  private final boolean localOnly;
  private final ReserveOptions options;
  private final Optional<Deadline> patientUntil;

  Reservation(
      Connection connection,
      Place place,
      String key,
      Type type,
      boolean localOnly,
      ReserveOptions options) {
    this.connection = connection;
    this.place = place;
    this.key = key;
    this.type = type;
    this.localOnly = localOnly;
    this.options = options;
    patientUntil =
        options.patience().map(patience -> Deadline.after(nanos(patience), TimeUnit.NANOSECONDS));
  }

  <X extends Exception> @Nullable T getOrSet(ValueFactory<? extends @Nullable T, X> factory)
      throws X {
    // A value is made once: if the reservation is lost meanwhile, the same value is stored with the
    // next one.
    @Nullable Json made = null;
    while (true) {
      ReserveEntryResponse answer = reserve();
      if (answer.getOutcome() == ReserveOutcome.RESERVE_OUTCOME_FOUND) {
        return read(answer.getEntry().getValueJson());
      }
      if (answer.getOutcome() == ReserveOutcome.RESERVE_OUTCOME_HELD) {
        checkPatience();
        continue;
      }
      String token = answer.getReservationToken();
      try {
        made = made == null ? make(factory, token) : made;
      } catch (Throwable failed) {
        giveUp(token);
        throw failed;
      }
      try {
        store(made, token);
        return read(made.text());
      } catch (ReservationLostException lost) {
        continue;
      } catch (RuntimeException failed) {
        giveUp(token);
        throw failed;
      }
    }
  }

  private ReserveEntryResponse reserve() {
    Duration wait = nextWait();
    ReserveEntryRequest request = reserving(wait);
    Duration timeout = connection.settings().timeout().plus(wait);
    return Connection.perform(
        () ->
            connection
                .workingMemory()
                .withDeadlineAfter(nanos(timeout), TimeUnit.NANOSECONDS)
                .reserveEntry(request));
  }

  @SuppressWarnings("try") // the renewal is only closed
  private <X extends Exception> Json make(
      ValueFactory<? extends @Nullable T, X> factory, String token) throws X {
    try (LeaseRenewal renewing = renew(token)) {
      return new Json(connection.values().write(factory.make()));
    }
  }

  private void store(Json value, String token) {
    SetEntryRequest request = storing(value, token);
    Connection.perform(() -> connection.workingMemory().setEntry(request));
  }

  /** Releases the reservation for the next caller. If that fails, the lease expires anyway. */
  private void giveUp(String token) {
    ReleaseReservationRequest request = releasing(token);
    WorkingMemoryServiceBlockingStub stub = connection.workingMemory();
    Uninterrupted.run(
        () -> {
          try {
            Connection.perform(() -> stub.releaseReservation(request));
          } catch (CallFailedException ignored) {
            // The caller needs the error that led here, not this one.
          }
        });
  }

  /** Returns the request that reserves the entry, or waits for the value of another caller. */
  ReserveEntryRequest reserving(Duration wait) {
    return ReserveEntryRequest.newBuilder()
        .setAgentId(place.agentId())
        .setScopeId(place.scopeId())
        .setKey(key)
        .setLocalOnly(localOnly)
        .setLeaseDuration(Durations.toMessage(options.lease()))
        .setWaitDuration(Durations.toMessage(wait))
        .build();
  }

  /** Returns the request that stores the value by a reservation. */
  SetEntryRequest storing(Json value, String token) {
    return options
        .entry()
        .toRequest(place)
        .setKey(key)
        .setValueJson(value.text())
        .setReservationToken(token)
        .build();
  }

  /** Returns the request that releases a reservation. */
  ReleaseReservationRequest releasing(String token) {
    return ReleaseReservationRequest.newBuilder()
        .setAgentId(place.agentId())
        .setScopeId(place.scopeId())
        .setKey(key)
        .setReservationToken(token)
        .build();
  }

  /** Renews a reservation until the result is closed. */
  LeaseRenewal renew(String token) {
    RenewReservationRequest renewal =
        RenewReservationRequest.newBuilder()
            .setAgentId(place.agentId())
            .setScopeId(place.scopeId())
            .setKey(key)
            .setReservationToken(token)
            .setLeaseDuration(Durations.toMessage(options.lease()))
            .build();
    return LeaseRenewal.begin(
        connection,
        WorkingMemoryServiceGrpc.getRenewReservationMethod(),
        renewal,
        options.lease(),
        () -> {});
  }

  /** Throws DeadlineExceededException once the caller has waited for as long as it wants to. */
  void checkPatience() {
    if (patientUntil.isPresent() && patientUntil.get().isExpired()) {
      String message = "another caller is still making the value of \"" + key + "\"";
      throw CallFailedException.from(Status.DEADLINE_EXCEEDED.withDescription(message), null);
    }
  }

  @Nullable T read(String text) {
    return connection.values().read(text, type, key);
  }

  /** Returns the time for which the next call waits for another caller. */
  Duration nextWait() {
    long left =
        patientUntil.map(end -> end.timeRemaining(TimeUnit.NANOSECONDS)).orElse(Long.MAX_VALUE);
    return Duration.ofNanos(Math.max(0, Math.min(left, WAIT_EACH.toNanos())));
  }

  private static long nanos(Duration duration) {
    return TimeUnit.NANOSECONDS.convert(duration);
  }
}
