package io.memoryd.client;

import io.memoryd.v1.CreateScopeRequest;
import java.time.Duration;
import java.util.function.Consumer;

/** The attributes of a scope. Immutable: each {@code with} method returns a copy. */
public final class ScopeOptions {
  /** A scope about no user, whose name need not be unique. */
  public static final ScopeOptions DEFAULT =
      new ScopeOptions(CreateScopeRequest.getDefaultInstance(), false);

  private final CreateScopeRequest template;
  private final boolean namesUser;

  private ScopeOptions(CreateScopeRequest template, boolean namesUser) {
    this.template = template;
    this.namesUser = namesUser;
  }

  /** Sets the user that the scope is about: at most 256 bytes of UTF-8. */
  public ScopeOptions withUserId(String userId) {
    return new ScopeOptions(template.toBuilder().setUserId(userId).build(), true);
  }

  /**
   * Makes the daemon dispose the scope once it was not used for this long (at least 1 second), so
   * that nothing is left over if this process dies. Every call that reads or writes in the scope or
   * below it uses it, and so does the object that {@link WorkingMemory#scope(String, ScopeOptions)}
   * returns, until it is closed, merged or disposed, or its client is closed.
   */
  public ScopeOptions withIdleTtl(Duration idleTtl) {
    return with(request -> request.setIdleTtl(Durations.toMessage(idleTtl)));
  }

  /**
   * Creates the scope only if the condition is met, which is about the active scope of this name
   * directly under the same parent: {@link Condition#mustNotExist} requires a new name.
   */
  public ScopeOptions withCondition(Condition condition) {
    return with(request -> request.setPrecondition(condition.toMessage()));
  }

  /**
   * Returns a request with these options, without an agent, a parent and a name.
   *
   * @param boundUserId the user of the scope unless the options name one
   */
  CreateScopeRequest.Builder toMessage(String boundUserId) {
    CreateScopeRequest.Builder request = template.toBuilder();
    return namesUser ? request : request.setUserId(boundUserId);
  }

  /** Returns the request for a scope below a place. */
  CreateScopeRequest toRequest(Place parent, String name) {
    return toMessage(parent.userId())
        .setAgentId(parent.agentId())
        .setParentScopeId(parent.scopeId())
        .setName(name)
        .build();
  }

  private ScopeOptions with(Consumer<CreateScopeRequest.Builder> change) {
    CreateScopeRequest.Builder changed = template.toBuilder();
    change.accept(changed);
    return new ScopeOptions(changed.build(), namesUser);
  }
}
