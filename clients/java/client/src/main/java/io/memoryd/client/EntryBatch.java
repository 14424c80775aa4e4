package io.memoryd.client;

import io.grpc.Context;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.client.error.OverloadedException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Calls of one agent that are sent together, whose response is {@code S}. A batch of one call, and
 * one that is refused, is made by its callers, call by call. It is cancelled once all of its calls
 * are.
 */
abstract class EntryBatch<C extends EntryCall<?>, S> implements StreamObserver<S> {
  // The errors after which nothing has changed, and of which one call alone may be the cause. After
  // others each call would fail, too, or nobody knows whether the changes were made.
  private static final Set<Status.Code> REFUSALS =
      Set.of(
          Status.Code.INVALID_ARGUMENT,
          Status.Code.NOT_FOUND,
          Status.Code.ALREADY_EXISTS,
          Status.Code.PERMISSION_DENIED,
          Status.Code.RESOURCE_EXHAUSTED,
          Status.Code.FAILED_PRECONDITION,
          Status.Code.OUT_OF_RANGE,
          Status.Code.UNIMPLEMENTED);

  private final Connection connection;
  private final List<C> calls;

  EntryBatch(Connection connection, List<C> calls) {
    this.connection = connection;
    this.calls = calls;
  }

  Connection connection() {
    return connection;
  }

  List<C> calls() {
    return calls;
  }

  /** Sends the batch, and receives its response as an observer. */
  abstract void begin();

  /** Gives each call its result. */
  abstract void settle(S response);

  void send() {
    if (calls.size() == 1) {
      calls.get(0).giveBack();
      return;
    }
    Context.CancellableContext batch = Context.ROOT.withCancellation();
    AtomicInteger left = new AtomicInteger(calls.size());
    for (C call : calls) {
      call.result()
          .whenComplete(
              (result, failure) -> {
                if (left.decrementAndGet() == 0) {
                  batch.cancel(null);
                }
              });
    }
    try {
      batch.run(this::begin);
    } catch (RuntimeException thrown) {
      // Of an interceptor, for example: nobody else would end the calls.
      onError(thrown);
    }
  }

  @Override
  public final void onNext(S response) {
    settle(response);
  }

  @Override
  public final void onError(Throwable thrown) {
    Status status = Status.fromThrowable(thrown);
    var trailers = Status.trailersFromThrowable(thrown);
    boolean isOverload = CallFailedException.from(status, trailers) instanceof OverloadedException;
    boolean isRefusal = REFUSALS.contains(status.getCode()) && !isOverload;
    for (C call : calls) {
      if (isRefusal) {
        call.giveBack();
      } else {
        call.fail(status, trailers);
      }
    }
  }

  @Override
  public final void onCompleted() {
    Status status = Status.INTERNAL.withDescription("the batch has no result for this call");
    // Those that have a result keep it.
    calls.forEach(call -> call.fail(status, null));
  }
}
