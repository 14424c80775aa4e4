package io.memoryd.client;

import io.grpc.Context;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import java.util.Iterator;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** A service of the contract, with requests and responses that are its messages. */
abstract class Service {
  private final Connection connection;
  private final CallTimeout timeout;

  Service(Connection connection, CallTimeout timeout) {
    this.connection = connection;
    this.timeout = timeout;
  }

  Connection connection() {
    return connection;
  }

  <Q, S> S call(MethodDescriptor<Q, S> method, Q request) {
    return Connection.perform(
        () ->
            ClientCalls.blockingUnaryCall(
                connection.channel(), method, timeout.options(), request));
  }

  <Q, S> CompletableFuture<S> begin(MethodDescriptor<Q, S> method, Q request) {
    return Futures.call(
        connection.channel(), method, timeout.options(), request, Function.identity());
  }

  /** Begins a call that streams its responses, and is cancelled when the stream is closed. */
  <Q, S> Stream<S> stream(MethodDescriptor<Q, S> method, Q request) {
    Context.CancellableContext context = Context.current().withCancellation();
    Context before = context.attach();
    Iterator<S> responses;
    try {
      responses =
          ClientCalls.blockingServerStreamingCall(
              connection.channel(), method, timeout.options(), request);
    } finally {
      context.detach(before);
    }
    Iterator<S> converted = new Converted<>(responses);
    return StreamSupport.stream(
            Spliterators.spliteratorUnknownSize(
                converted, Spliterator.ORDERED | Spliterator.NONNULL),
            false)
        .onClose(() -> context.cancel(null));
  }

  /** Responses whose errors are those of this client. */
  private record Converted<S>(Iterator<S> responses) implements Iterator<S> {
    @Override
    public boolean hasNext() {
      return Connection.perform(responses::hasNext);
    }

    @Override
    public S next() {
      return Connection.perform(responses::next);
    }
  }
}
