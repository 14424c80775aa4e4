package io.memoryd.client;

import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.memoryd.v1.GetEntryRequest;
import io.memoryd.v1.GetEntryResponse;
import io.memoryd.v1.WorkingMemoryServiceGrpc.WorkingMemoryServiceBlockingStub;
import io.memoryd.v1.Write;
import io.memoryd.v1.WriteResult;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A call that reads or writes one entry, and that waits to be sent with others. */
abstract sealed class EntryCall<S> {
  private final Function<WorkingMemoryServiceBlockingStub, S> alone;
  private final Deadline deadline;
  // Empty if the call is to be made by itself.
  private final CompletableFuture<Optional<S>> result = new CompletableFuture<>();

  private EntryCall(Function<WorkingMemoryServiceBlockingStub, S> alone, Deadline deadline) {
    this.alone = alone;
    this.deadline = deadline;
  }

  abstract String agentId();

  /** Returns the number of bytes that it adds to a request. */
  abstract int bytes();

  Deadline deadline() {
    return deadline;
  }

  /** Returns a future that ends when the call has a result, or is to be made by itself. */
  CompletableFuture<Optional<S>> result() {
    return result;
  }

  /** Makes the call by itself. */
  S makeAlone(WorkingMemoryServiceBlockingStub stub) {
    return alone.apply(stub.withDeadline(deadline));
  }

  void succeed(S response) {
    result.complete(Optional.of(response));
  }

  /** Lets the caller make the call by itself. */
  void giveBack() {
    result.complete(Optional.empty());
  }

  void fail(Status status, @Nullable Metadata trailers) {
    result.completeExceptionally(new StatusRuntimeException(status, trailers));
  }

  /** A read of an entry. */
  static final class Get extends EntryCall<GetEntryResponse> {
    private final GetEntryRequest request;

    Get(GetEntryRequest request, Deadline deadline) {
      super(stub -> stub.getEntry(request), deadline);
      this.request = request;
    }

    GetEntryRequest request() {
      return request;
    }

    @Override
    String agentId() {
      return request.getAgentId();
    }

    @Override
    int bytes() {
      return 0;
    }
  }

  /** A change of an entry. */
  static final class Change<S> extends EntryCall<S> {
    private final String agentId;
    private final Write write;
    private final Function<WriteResult, S> reader;

    /** Creates a change whose response in a commit is read by {@code reader}. */
    Change(
        String agentId,
        Write write,
        Function<WriteResult, S> reader,
        Function<WorkingMemoryServiceBlockingStub, S> alone,
        Deadline deadline) {
      super(alone, deadline);
      this.agentId = agentId;
      this.write = write;
      this.reader = reader;
    }

    Write write() {
      return write;
    }

    void succeedWith(WriteResult result) {
      succeed(reader.apply(result));
    }

    @Override
    String agentId() {
      return agentId;
    }

    @Override
    int bytes() {
      return write.getSerializedSize();
    }
  }
}
