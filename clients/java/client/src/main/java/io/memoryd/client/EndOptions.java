package io.memoryd.client;

import io.memoryd.v1.EndAgentRequest;
import java.util.function.Consumer;

/** The options of {@link Agent#end}. Immutable: each {@code with} method returns a copy. */
public final class EndOptions {
  /** No last snapshot, and no condition. */
  public static final EndOptions DEFAULT = new EndOptions(EndAgentRequest.getDefaultInstance());

  private final EndAgentRequest template;

  private EndOptions(EndAgentRequest template) {
    this.template = template;
  }

  /**
   * Takes a last snapshot of the agent before it ends, for which the client's timeout must be long
   * enough. If the snapshot fails, the agent stays.
   */
  public EndOptions withSnapshot() {
    return with(request -> request.setCreateSnapshot(true));
  }

  /** Ends the agent only if the condition on it is met. */
  public EndOptions withCondition(Condition condition) {
    return with(request -> request.setAgentPrecondition(condition.toMessage()));
  }

  /** Returns a request with these options, without an agent. */
  EndAgentRequest.Builder toMessage() {
    return template.toBuilder();
  }

  private EndOptions with(Consumer<EndAgentRequest.Builder> change) {
    EndAgentRequest.Builder changed = template.toBuilder();
    change.accept(changed);
    return new EndOptions(changed.build());
  }
}
