package io.memoryd.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.memoryd.client.error.CallFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Calls whose results are futures. A future that is cancelled, or is late, cancels its call. */
final class Futures {
  private Futures() {}

  /**
   * Begins a unary call.
   *
   * @param result returns the result of a response
   */
  static <Q, S, R> CompletableFuture<R> call(
      Channel channel,
      MethodDescriptor<Q, S> method,
      CallOptions options,
      Q request,
      Function<S, R> result) {
    ClientCall<Q, S> call = channel.newCall(method, options);
    CompletableFuture<R> future = new CompletableFuture<>();
    ClientCalls.asyncUnaryCall(call, request, new Completion<>(future, result));
    future.whenComplete(
        (value, error) -> {
          if (error != null) {
            call.cancel("the future has ended", error);
          }
        });
    return future;
  }

  /**
   * Reads the records of all pages, one page after the other.
   *
   * @param page begins to read the page of a token, which is empty for the first one
   * @param next returns the token of the page after one, or an empty one
   * @param records returns the records of a page
   */
  static <P, R> CompletableFuture<List<R>> pages(
      Function<String, CompletableFuture<P>> page,
      Function<P, String> next,
      Function<P, List<R>> records) {
    CompletableFuture<List<R>> all = new CompletableFuture<>();
    read(page, next, records, "", new ArrayList<>(), all);
    return all;
  }

  private static <P, R> void read(
      Function<String, CompletableFuture<P>> page,
      Function<P, String> next,
      Function<P, List<R>> records,
      String token,
      List<R> found,
      CompletableFuture<List<R>> all) {
    CompletableFuture<P> reading = page.apply(token);
    all.whenComplete((value, error) -> reading.cancel(true));
    reading.whenComplete(
        (read, error) -> {
          if (error != null) {
            all.completeExceptionally(error);
            return;
          }
          found.addAll(records.apply(read));
          if (next.apply(read).isEmpty()) {
            all.complete(found);
          } else if (!all.isDone()) {
            read(page, next, records, next.apply(read), found, all);
          }
        });
  }

  private static final class Completion<S, R> implements StreamObserver<S> {
    private final CompletableFuture<R> future;
    private final Function<S, R> result;
    private @Nullable S response;

    Completion(CompletableFuture<R> future, Function<S, R> result) {
      this.future = future;
      this.result = result;
    }

    @Override
    public void onNext(S received) {
      response = received;
    }

    @Override
    public void onError(Throwable thrown) {
      future.completeExceptionally(
          CallFailedException.from(
              Status.fromThrowable(thrown), Status.trailersFromThrowable(thrown)));
    }

    @Override
    public void onCompleted() {
      try {
        future.complete(result.apply(response));
      } catch (RuntimeException failed) {
        future.completeExceptionally(failed);
      }
    }
  }
}
