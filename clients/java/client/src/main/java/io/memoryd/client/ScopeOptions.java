package io.memoryd.client;

import io.memoryd.v1.CreateScopeRequest;
import java.util.function.Consumer;

/** The attributes of a scope. Immutable: each {@code with} method returns a copy. */
public final class ScopeOptions {
  /** A scope about no user, whose name need not be unique. */
  public static final ScopeOptions DEFAULT =
      new ScopeOptions(CreateScopeRequest.getDefaultInstance());

  private final CreateScopeRequest template;

  private ScopeOptions(CreateScopeRequest template) {
    this.template = template;
  }

  /** Sets the user that the scope is about: at most 256 bytes of UTF-8. */
  public ScopeOptions withUserId(String userId) {
    return with(request -> request.setUserId(userId));
  }

  /**
   * Requires a new name: if an active scope under the same parent has it, the creation throws
   * {@link io.memoryd.client.error.RecordExistsException}.
   */
  public ScopeOptions withMustNotExist() {
    return with(request -> request.setPrecondition(Condition.mustNotExist().toMessage()));
  }

  /** Returns a request with these options, without an agent, a parent and a name. */
  CreateScopeRequest.Builder toMessage() {
    return template.toBuilder();
  }

  private ScopeOptions with(Consumer<CreateScopeRequest.Builder> change) {
    CreateScopeRequest.Builder changed = template.toBuilder();
    change.accept(changed);
    return new ScopeOptions(changed.build());
  }
}
