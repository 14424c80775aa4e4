package io.memoryd.client;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

/** The part of an agent's memory that one service keeps. */
abstract class Kind {
  private static final String WAIT = "wait_duration";

  private final Connection connection;
  private final Place place;

  Kind(Connection connection, Place place) {
    this.connection = connection;
    this.place = place;
  }

  Connection connection() {
    return connection;
  }

  String agentId() {
    return place.agentId();
  }

  /** Calls a method of the service for the agent and its user. */
  <Q extends Message, S> S call(MethodDescriptor<Q, S> method, Fields<?> fields) {
    return call(method, fields, new Retries());
  }

  /** Calls a method, without retries once they are ended. */
  <Q extends Message, S> S call(MethodDescriptor<Q, S> method, Fields<?> fields, Retries retries) {
    return send(method, fields.given(), CallOptions.DEFAULT.withOption(Retries.OPTION, retries));
  }

  /** Lists the records of all pages, which are at one revision. */
  <Q extends Message, S, R> Stream<R> list(
      MethodDescriptor<Q, S> method,
      Fields<?> fields,
      Function<S, String> nextPage,
      Function<S, List<R>> records) {
    Given first = fields.given().with("page_size", Pages.SIZE);
    return Pages.read(
        token -> send(method, first.with("page_token", token), CallOptions.DEFAULT),
        nextPage,
        records);
  }

  /** Returns the request with what is given, for the agent and its user. */
  Message.Builder request(Given given) {
    Message.Builder request = given.with("agent_id", place.agentId()).message().toBuilder();
    BoundUser.bind(request, given.paths(), place.userId());
    return request;
  }

  private <Q extends Message, S> S send(
      MethodDescriptor<Q, S> method, Given given, CallOptions base) {
    @SuppressWarnings("unchecked") // What is given are fields of the method's request.
    Q message = (Q) request(given).build();
    CallOptions options = options(given, base);
    return Connection.perform(
        () -> ClientCalls.blockingUnaryCall(connection.channel(), method, options, message));
  }

  CallOptions options(Given given, CallOptions base) {
    // A call that waits for another caller needs that time in addition.
    Optional<Duration> timeout =
        given.timeout().or(() -> wait(given).map(connection.settings().timeout()::plus));
    return timeout
        .map(time -> base.withDeadlineAfter(nanos(time), TimeUnit.NANOSECONDS))
        .orElse(base);
  }

  private static Optional<Duration> wait(Given given) {
    FieldDescriptor field = given.message().getDescriptorForType().findFieldByName(WAIT);
    return field != null && given.message().hasField(field)
        ? Optional.of(
            Durations.fromMessage((com.google.protobuf.Duration) given.message().getField(field)))
        : Optional.empty();
  }

  private static long nanos(Duration duration) {
    return TimeUnit.NANOSECONDS.convert(duration);
  }
}
