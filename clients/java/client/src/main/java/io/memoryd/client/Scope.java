package io.memoryd.client;

import io.memoryd.client.error.RecordNotFoundException;
import io.memoryd.v1.CreateScopeRequest;
import io.memoryd.v1.DisposeScopeRequest;
import io.memoryd.v1.DisposeScopeResponse;
import io.memoryd.v1.MergeScopeRequest;
import io.memoryd.v1.MergeScopeResponse;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

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

  /** Keeps a scope with an idle time that was created here. */
  private final @Nullable LeaseRenewal hold;

  /** A scope that is not held, such as one of another process. */
  Scope(Connection connection, Place place) {
    this(connection, place, null);
  }

  private Scope(Connection connection, Place place, @Nullable LeaseRenewal hold) {
    super(connection, place, Reading.DEFAULT);
    this.hold = hold;
  }

  /**
   * Returns a new scope. One with an idle time is used until its end, so that the daemon keeps it.
   */
  static Scope created(Connection connection, Place place, CreateScopeRequest request) {
    return new Scope(connection, place, LeaseRenewal.ofNewScope(connection, place, request));
  }

  /**
   * Copies the scope's own entries to its parent, replaces those of the same key, and disposes the
   * scope in the same step.
   */
  public MergeScopeResponse merge() {
    return merge(MergeOptions.DEFAULT);
  }

  /**
   * Copies the scope's own entries to its parent, and disposes the scope and those below it in the
   * same step. If that fails, the scope remains, also after {@link #close}, so that nothing is
   * lost: try again, or {@link #dispose} it.
   *
   * @throws io.memoryd.client.error.ScopeDisposedException if the scope has already ended
   */
  public MergeScopeResponse merge(MergeConflict conflict) {
    return merge(MergeOptions.DEFAULT.withConflict(conflict));
  }

  /**
   * Merges the scope as {@link #merge(MergeConflict)} does, if the condition on the agent is met.
   *
   * @throws io.memoryd.client.error.RevisionMismatchException if the agent has another revision
   *     than the condition says
   */
  public MergeScopeResponse merge(MergeConflict conflict, Condition condition) {
    return merge(MergeOptions.DEFAULT.withConflict(conflict).withCondition(condition));
  }

  /**
   * Merges the scope as {@link #merge(MergeConflict)} does, with these options: {@link
   * MergeOptions#withScopeKept} does not dispose it.
   */
  public MergeScopeResponse merge(MergeOptions options) {
    MergeScopeRequest request = options.toMessage(scopeId()).setAgentId(agentId()).build();
    if (request.getDispose()) {
      ended.set(true);
    }
    MergeScopeResponse response = perform(stub -> stub.mergeScope(request));
    if (request.getDispose()) {
      release();
    }
    return response;
  }

  /**
   * Disposes the scope and those below it with all their entries. A scope that has already ended,
   * by itself or with its agent, is not an error.
   */
  public DisposeScopeResponse dispose() {
    return dispose(disposal(place()).build());
  }

  /**
   * Disposes the scope as {@link #dispose()} does, if the condition on the agent is met.
   *
   * @throws io.memoryd.client.error.RevisionMismatchException if the agent has another revision
   *     than the condition says
   */
  public DisposeScopeResponse dispose(Condition condition) {
    return dispose(disposal(place()).setAgentPrecondition(condition.toMessage()).build());
  }

  /**
   * Disposes the scope, unless this object has merged or disposed it before. An interrupted thread
   * disposes it, too, and stays interrupted.
   */
  @Override
  public void close() {
    try {
      if (!ended.get()) {
        Uninterrupted.run(this::dispose);
      }
    } finally {
      release();
    }
  }

  /**
   * Returns the same scope, whose methods do not block. This object remains the one that holds it.
   */
  @Override
  public AsyncScope async() {
    return new AsyncScope(connection(), place());
  }

  private void release() {
    if (hold != null) {
      hold.close();
    }
  }

  private DisposeScopeResponse dispose(DisposeScopeRequest request) {
    ended.set(true);
    try {
      DisposeScopeResponse response = perform(stub -> stub.disposeScope(request));
      release();
      return response;
    } catch (RecordNotFoundException gone) {
      // The daemon remembers a disposed scope for a limited time, and none of an ended agent.
      release();
      return DisposeScopeResponse.getDefaultInstance();
    }
  }

  static DisposeScopeRequest.Builder disposal(Place place) {
    return DisposeScopeRequest.newBuilder().setAgentId(place.agentId()).setScopeId(place.scopeId());
  }
}
