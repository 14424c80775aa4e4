package io.memoryd.client;

import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The part of an agent's memory that one service keeps, by calls that do not block. */
abstract class AsyncKind extends Kind {
  AsyncKind(Connection connection, Place place) {
    super(connection, place);
  }

  /** Begins to call a method of the service for the agent and its user. */
  <Q extends Message, S, R> CompletableFuture<R> begin(
      MethodDescriptor<Q, S> method, Fields<?> fields, Function<S, R> result) {
    return begin(method, fields.given(), result);
  }

  /** Begins to list the records of all pages, which are at one revision. */
  <Q extends Message, S, R> CompletableFuture<List<R>> beginList(
      MethodDescriptor<Q, S> method,
      Fields<?> fields,
      Function<S, String> nextPage,
      Function<S, List<R>> records) {
    Given first = fields.given().with("page_size", Pages.SIZE);
    return Futures.pages(
        token -> begin(method, first.with("page_token", token), Function.identity()),
        nextPage,
        records);
  }

  private <Q extends Message, S, R> CompletableFuture<R> begin(
      MethodDescriptor<Q, S> method, Given given, Function<S, R> result) {
    @SuppressWarnings("unchecked") // What is given are fields of the method's request.
    Q message = (Q) request(given).build();
    CallOptions options = options(given, CallOptions.DEFAULT);
    return Futures.call(connection().channel(), method, options, message, result);
  }
}
