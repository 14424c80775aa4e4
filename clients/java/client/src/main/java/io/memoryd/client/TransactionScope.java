package io.memoryd.client;

import io.memoryd.v1.DisposeScopeRequest;
import io.memoryd.v1.DisposeScopeResponse;
import io.memoryd.v1.MergeScopeResponse;
import io.memoryd.v1.Write;
import io.memoryd.v1.WriteResult;

/** A scope in a {@link Transaction}. */
public final class TransactionScope extends Changes {
  TransactionScope(Connection connection, Place place, Writes writes) {
    super(connection, place, writes);
  }

  /**
   * Copies the scope's own entries to its parent, and disposes the scope and those below it in the
   * same step.
   */
  public Written<MergeScopeResponse> merge(MergeConflict conflict) {
    return merge(MergeOptions.DEFAULT.withConflict(conflict));
  }

  /**
   * Merges the scope as {@link #merge(MergeConflict)} does, with these options: {@link
   * MergeOptions#withScopeKept} does not dispose it.
   */
  public Written<MergeScopeResponse> merge(MergeOptions options) {
    var request = options.toMessage(scopeId());
    return writes()
        .add(Write.newBuilder().setMergeScope(request).build(), WriteResult::getMergeScope);
  }

  /**
   * Disposes the scope and those below it with all their entries. A scope that has ended is not an
   * error, unless that is so long ago that the daemon has forgotten it: {@link
   * io.memoryd.client.error.RecordNotFoundException}.
   */
  public Written<DisposeScopeResponse> dispose() {
    var request = DisposeScopeRequest.newBuilder().setScopeId(scopeId());
    return writes()
        .add(Write.newBuilder().setDisposeScope(request).build(), WriteResult::getDisposeScope);
  }
}
