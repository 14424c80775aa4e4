package io.memoryd.client;

import io.grpc.CallOptions;
import io.memoryd.client.error.RecordNotFoundException;
import io.memoryd.v1.CreateScopeRequest;
import io.memoryd.v1.DisposeScopeRequest;
import io.memoryd.v1.DisposeScopeResponse;
import io.memoryd.v1.MergeScopeRequest;
import io.memoryd.v1.MergeScopeResponse;
import io.memoryd.v1.WorkingMemoryServiceGrpc;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Scope} without blocking. No block ends it: merge it or dispose it when the work is done
 * or has failed.
 *
 * <pre>{@code
 * async
 *     .scope("book a table")
 *     .thenCompose(
 *         task ->
 *             task.set("table", 7)
 *                 .thenCompose(stored -> task.merge())
 *                 .whenComplete((merged, error) -> task.dispose())); // does nothing after a merge
 * }</pre>
 */
public final class AsyncScope extends AsyncWorkingMemory {
  /** Keeps a scope with an idle time that was created here. */
  private final @Nullable LeaseRenewal hold;

  /** A scope that is not held, such as one of another process. */
  AsyncScope(Connection connection, Place place) {
    this(connection, place, null);
  }

  private AsyncScope(Connection connection, Place place, @Nullable LeaseRenewal hold) {
    super(connection, place, Reading.DEFAULT);
    this.hold = hold;
  }

  /** Returns a new scope, which is held as {@link Scope#created} says. */
  static AsyncScope created(Connection connection, Place place, CreateScopeRequest request) {
    return new AsyncScope(connection, place, LeaseRenewal.ofNewScope(connection, place, request));
  }

  /** Does what {@link Scope#merge()} does. */
  public CompletableFuture<MergeScopeResponse> merge() {
    return merge(MergeOptions.DEFAULT);
  }

  /** Does what {@link Scope#merge(MergeOptions)} does. */
  public CompletableFuture<MergeScopeResponse> merge(MergeOptions options) {
    MergeScopeRequest request = options.toMessage(scopeId()).setAgentId(agentId()).build();
    return Futures.call(
        connection().channel(),
        WorkingMemoryServiceGrpc.getMergeScopeMethod(),
        CallOptions.DEFAULT,
        request,
        response -> {
          if (request.getDispose()) {
            release();
          }
          return response;
        });
  }

  /** Does what {@link Scope#dispose()} does. */
  public CompletableFuture<DisposeScopeResponse> dispose() {
    return dispose(Scope.disposal(place()).build());
  }

  /** Does what {@link Scope#dispose(Condition)} does. */
  public CompletableFuture<DisposeScopeResponse> dispose(Condition condition) {
    return dispose(Scope.disposal(place()).setAgentPrecondition(condition.toMessage()).build());
  }

  private CompletableFuture<DisposeScopeResponse> dispose(DisposeScopeRequest request) {
    Steps<DisposeScopeResponse> steps = new Steps<>();
    steps.after(
        Futures.call(
            connection().channel(),
            WorkingMemoryServiceGrpc.getDisposeScopeMethod(),
            CallOptions.DEFAULT,
            request,
            Function.identity()),
        response -> {
          release();
          steps.complete(response);
        },
        error -> {
          if (error instanceof RecordNotFoundException) {
            // The daemon remembers a disposed scope for a limited time, and none of an ended agent.
            release();
            steps.complete(DisposeScopeResponse.getDefaultInstance());
          } else {
            steps.fail(error);
          }
        });
    return steps.result();
  }

  private void release() {
    if (hold != null) {
      hold.close();
    }
  }
}
