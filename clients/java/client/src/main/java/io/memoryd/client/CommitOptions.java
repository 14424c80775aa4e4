package io.memoryd.client;

import io.memoryd.v1.CommitRequest;
import java.util.function.Consumer;

/**
 * The options of {@link Transaction#commit}. Immutable: each {@code with} method returns a copy.
 */
public final class CommitOptions {
  /** A request id of the transaction's own, and no condition. */
  public static final CommitOptions DEFAULT = new CommitOptions(CommitRequest.getDefaultInstance());

  private final CommitRequest template;

  private CommitOptions(CommitRequest template) {
    this.template = template;
  }

  /**
   * Makes the transaction safe to repeat by another object or process: the same changes with the
   * same id are made once, and have the same results again. At most 128 bytes.
   */
  public CommitOptions withRequestId(String requestId) {
    return with(request -> request.setRequestId(requestId));
  }

  /** Commits only if the condition on the agent is met. */
  public CommitOptions withCondition(Condition condition) {
    return with(request -> request.setAgentPrecondition(condition.toMessage()));
  }

  /** Returns a request with these options, without an agent and writes. */
  CommitRequest.Builder toMessage() {
    return template.toBuilder();
  }

  private CommitOptions with(Consumer<CommitRequest.Builder> change) {
    CommitRequest.Builder changed = template.toBuilder();
    change.accept(changed);
    return new CommitOptions(changed.build());
  }
}
