package io.memoryd.client;

import io.memoryd.v1.MergeScopeRequest;
import java.util.function.Consumer;

/** How a scope is merged into its parent. Immutable: each {@code with} method returns a copy. */
public final class MergeOptions {
  /** The scope's entries replace the parent's of the same key, and the scope is disposed. */
  public static final MergeOptions DEFAULT =
      new MergeOptions(MergeScopeRequest.newBuilder().setOverwrite(true).setDispose(true).build());

  private final MergeScopeRequest template;

  private MergeOptions(MergeScopeRequest template) {
    this.template = template;
  }

  /** Selects which value remains under a key that both have. */
  public MergeOptions withConflict(MergeConflict conflict) {
    return with(request -> request.setOverwrite(conflict == MergeConflict.OVERWRITE));
  }

  /** Merges the scope only if the condition on the agent is met. */
  public MergeOptions withCondition(Condition condition) {
    return with(request -> request.setAgentPrecondition(condition.toMessage()));
  }

  /** Only copies the entries: the scope remains, until it is merged again, disposed or closed. */
  public MergeOptions withScopeKept() {
    return with(request -> request.setDispose(false));
  }

  /** Returns a request with these options, without an agent. */
  MergeScopeRequest.Builder toMessage(String scopeId) {
    return template.toBuilder().setScopeId(scopeId);
  }

  private MergeOptions with(Consumer<MergeScopeRequest.Builder> change) {
    MergeScopeRequest.Builder changed = template.toBuilder();
    change.accept(changed);
    return new MergeOptions(changed.build());
  }
}
