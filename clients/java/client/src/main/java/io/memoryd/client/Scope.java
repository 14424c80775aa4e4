package io.memoryd.client;

import io.memoryd.v1.DisposeScopeRequest;
import io.memoryd.v1.DisposeScopeResponse;
import io.memoryd.v1.MergeScopeRequest;
import io.memoryd.v1.MergeScopeResponse;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A place of its own for one task, below an agent's root or another scope. Reads fall back to its
 * parents; writes stay inside.
 *
 * <p>Closing a scope disposes it with all its entries. To keep them, merge it at the end of its
 * block, where nothing went wrong on the way; closing it has nothing left to do then:
 *
 * <pre>{@code
 * try (Scope task = agent.scope("book a table")) {
 *   task.set("table", 7);
 *   task.merge(); // the last statement: an exception before it loses the scope's entries
 * }
 * }</pre>
 */
public final class Scope extends WorkingMemory implements AutoCloseable {
  private final AtomicBoolean ended = new AtomicBoolean();

  Scope(Connection connection, Place place) {
    super(connection, place, false);
  }

  /**
   * Copies the scope's own entries to its parent, replacing those of the same key, and ends it in
   * the same step.
   */
  public MergeScopeResponse merge() {
    return merge(MergeConflict.OVERWRITE);
  }

  /**
   * Copies the scope's own entries to its parent, and ends it with those below it in the same step.
   * When that fails, the scope stays, also when it is closed, so that nothing is lost: try again,
   * or {@link #dispose} it.
   *
   * @throws io.memoryd.client.error.ScopeDisposedException if the scope has ended before
   */
  public MergeScopeResponse merge(MergeConflict conflict) {
    ended.set(true);
    MergeScopeRequest request =
        MergeScopeRequest.newBuilder()
            .setAgentId(agentId())
            .setScopeId(scopeId())
            .setOverwrite(conflict == MergeConflict.OVERWRITE)
            .setDispose(true)
            .build();
    return perform(stub -> stub.mergeScope(request));
  }

  /**
   * Ends the scope and those below it with all their entries. A scope that has ended before is no
   * error.
   */
  public DisposeScopeResponse dispose() {
    ended.set(true);
    DisposeScopeRequest request =
        DisposeScopeRequest.newBuilder().setAgentId(agentId()).setScopeId(scopeId()).build();
    return perform(stub -> stub.disposeScope(request));
  }

  /**
   * Disposes the scope, unless it was merged or disposed by this object. An interrupt waits until
   * that is done.
   */
  @Override
  public void close() {
    if (!ended.get()) {
      Uninterrupted.run(this::dispose);
    }
  }
}
