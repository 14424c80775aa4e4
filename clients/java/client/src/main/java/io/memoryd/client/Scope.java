package io.memoryd.client;

import io.memoryd.client.error.RecordNotFoundException;
import io.memoryd.v1.DisposeScopeRequest;
import io.memoryd.v1.DisposeScopeResponse;
import io.memoryd.v1.MergeScopeRequest;
import io.memoryd.v1.MergeScopeResponse;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A scope below an agent's root or another scope, such as the working memory of one task. Reads
 * fall back to its parents; writes stay in the scope.
 *
 * <p>Closing a scope disposes it with all its entries. To keep them, merge it as the last statement
 * of its block; then closing it does nothing:
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
    super(connection, place, Reading.DEFAULT);
  }

  /**
   * Copies the scope's own entries to its parent, replaces those of the same key, and disposes the
   * scope in the same step.
   */
  public MergeScopeResponse merge() {
    return merge(MergeConflict.OVERWRITE);
  }

  /**
   * Copies the scope's own entries to its parent, and disposes the scope and those below it in the
   * same step. If that fails, the scope remains, also after {@link #close}, so that nothing is
   * lost: try again, or {@link #dispose} it.
   *
   * @throws io.memoryd.client.error.ScopeDisposedException if the scope has already ended
   */
  public MergeScopeResponse merge(MergeConflict conflict) {
    return merge(merger(conflict).build());
  }

  /**
   * Merges the scope as {@link #merge(MergeConflict)} does, if the condition on the agent is met.
   *
   * @throws io.memoryd.client.error.RevisionMismatchException if the agent has another revision
   *     than the condition says
   */
  public MergeScopeResponse merge(MergeConflict conflict, Condition condition) {
    return merge(merger(conflict).setAgentPrecondition(condition.toMessage()).build());
  }

  /**
   * Disposes the scope and those below it with all their entries. A scope that has already ended,
   * by itself or with its agent, is not an error.
   */
  public DisposeScopeResponse dispose() {
    return dispose(disposal().build());
  }

  /**
   * Disposes the scope as {@link #dispose()} does, if the condition on the agent is met.
   *
   * @throws io.memoryd.client.error.RevisionMismatchException if the agent has another revision
   *     than the condition says
   */
  public DisposeScopeResponse dispose(Condition condition) {
    return dispose(disposal().setAgentPrecondition(condition.toMessage()).build());
  }

  /**
   * Disposes the scope, unless this object has merged or disposed it before. An interrupted thread
   * disposes it, too, and stays interrupted.
   */
  @Override
  public void close() {
    if (!ended.get()) {
      Uninterrupted.run(this::dispose);
    }
  }

  private MergeScopeResponse merge(MergeScopeRequest request) {
    ended.set(true);
    return perform(stub -> stub.mergeScope(request));
  }

  private MergeScopeRequest.Builder merger(MergeConflict conflict) {
    return MergeScopeRequest.newBuilder()
        .setAgentId(agentId())
        .setScopeId(scopeId())
        .setOverwrite(conflict == MergeConflict.OVERWRITE)
        .setDispose(true);
  }

  private DisposeScopeResponse dispose(DisposeScopeRequest request) {
    ended.set(true);
    try {
      return perform(stub -> stub.disposeScope(request));
    } catch (RecordNotFoundException gone) {
      // The daemon remembers a disposed scope for a limited time, and none of an ended agent.
      return DisposeScopeResponse.getDefaultInstance();
    }
  }

  private DisposeScopeRequest.Builder disposal() {
    return DisposeScopeRequest.newBuilder().setAgentId(agentId()).setScopeId(scopeId());
  }
}
