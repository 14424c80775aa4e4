package io.memoryd.client;

import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.v1.GetEntryRequest;
import io.memoryd.v1.GetEntryResponse;
import io.memoryd.v1.RemoveEntryRequest;
import io.memoryd.v1.RemoveEntryResponse;
import io.memoryd.v1.SetEntryRequest;
import io.memoryd.v1.SetEntryResponse;
import io.memoryd.v1.WorkingMemoryServiceGrpc.WorkingMemoryServiceBlockingStub;
import io.memoryd.v1.Write;
import io.memoryd.v1.WriteResult;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The calls that read or write one entry. If that is wanted, those of several threads are sent
 * together; then each has the result and the error that it has by itself.
 */
final class EntryCalls {
  private final Connection connection;
  private final Optional<Batcher> batcher;

  EntryCalls(Connection connection) {
    this.connection = connection;
    batcher = connection.settings().batching().map(window -> new Batcher(connection, window));
  }

  /** Returns what sends calls together, if that is wanted. */
  Optional<Batcher> batcher() {
    return batcher;
  }

  GetEntryResponse get(GetEntryRequest request) {
    Function<WorkingMemoryServiceBlockingStub, GetEntryResponse> alone =
        stub -> stub.getEntry(request);
    // A key that is not well-formed is changed when it is sent, and would not be recognized in the
    // response.
    return mayWait() && !request.hasConsistency() && isWellFormed(request.getKey())
        ? together(new EntryCall.Get(request, deadline()))
        : byItself(alone);
  }

  SetEntryResponse set(SetEntryRequest request) {
    Function<WorkingMemoryServiceBlockingStub, SetEntryResponse> alone =
        stub -> stub.setEntry(request);
    if (!mayWait() || request.hasPrecondition()) {
      return byItself(alone);
    }
    Write write = Write.newBuilder().setSetEntry(request).build();
    return together(
        new EntryCall.Change<>(
            request.getAgentId(), write, WriteResult::getSetEntry, alone, deadline()));
  }

  RemoveEntryResponse remove(RemoveEntryRequest request) {
    Function<WorkingMemoryServiceBlockingStub, RemoveEntryResponse> alone =
        stub -> stub.removeEntry(request);
    if (!mayWait() || request.hasPrecondition()) {
      return byItself(alone);
    }
    Write write = Write.newBuilder().setRemoveEntry(request).build();
    return together(
        new EntryCall.Change<>(
            request.getAgentId(), write, WriteResult::getRemoveEntry, alone, deadline()));
  }

  /** Returns whether calls are sent together, and the caller has no deadline of its own. */
  private boolean mayWait() {
    return batcher.isPresent() && Context.current().getDeadline() == null;
  }

  private <S> S byItself(Function<WorkingMemoryServiceBlockingStub, S> call) {
    return Connection.perform(() -> call.apply(connection.workingMemory()));
  }

  private <S> S together(EntryCall<S> call) {
    return send(batcher.orElseThrow(), call).orElseGet(() -> byItself(call::makeAlone));
  }

  /** Sends a call together with others. Returns empty if it is to be made by itself. */
  private static <S> Optional<S> send(Batcher batcher, EntryCall<S> call) {
    Context context = Context.current();
    Context.CancellationListener cancelling =
        cancelled -> call.fail(cancelled("the call was cancelled", null), null);
    batcher.add(call);
    context.addListener(cancelling, Runnable::run);
    try {
      return call.result().get();
    } catch (InterruptedException interrupted) {
      Status status = cancelled("the thread was interrupted", interrupted);
      call.fail(status, null);
      Thread.currentThread().interrupt();
      throw CallFailedException.from(status, null);
    } catch (ExecutionException failed) {
      throw CallFailedException.from((StatusRuntimeException) failed.getCause());
    } finally {
      context.removeListener(cancelling);
    }
  }

  private Deadline deadline() {
    long nanos = connection.settings().timeout().toNanos();
    return Deadline.after(nanos, TimeUnit.NANOSECONDS);
  }

  private static Status cancelled(String why, @Nullable Throwable cause) {
    return Status.CANCELLED.withDescription(why).withCause(cause);
  }

  private static boolean isWellFormed(String key) {
    return StandardCharsets.UTF_8.newEncoder().canEncode(key);
  }
}
