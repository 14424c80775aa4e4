package io.memoryd.client;

import io.memoryd.v1.ComposeContextResponse;
import java.util.concurrent.CompletableFuture;

/**
 * An {@link Agent} without blocking, also in its records of all kinds: each method that calls the
 * daemon returns a future. It completes exceptionally with the error that the other method throws.
 * To cancel it is to cancel the call.
 *
 * <p>Futures complete in threads of gRPC: code that blocks belongs in {@code thenApplyAsync} and
 * its like, with an executor.
 */
public final class AsyncAgent extends AsyncWorkingMemory {
  AsyncAgent(Connection connection, Place place) {
    super(connection, place, Reading.DEFAULT);
  }

  /** Does what {@link Agent#user} does. */
  public AsyncAgent user(String userId) {
    return new AsyncAgent(connection(), place().user(userId));
  }

  /** Does what {@link Agent#attach} does. */
  public AsyncScope attach(String scopeId) {
    if (scopeId.isEmpty()) {
      throw new IllegalArgumentException("an empty scope id names the root: use the agent itself");
    }
    return new AsyncScope(connection(), place().scope(scopeId));
  }

  /** Returns the messages between the agent and others. */
  public AsyncConversations conversations() {
    return new AsyncConversations(connection(), place());
  }

  /** Returns the agent's documents: source texts for prompts, whole or in chunks. */
  public AsyncDocuments documents() {
    return new AsyncDocuments(connection(), place());
  }

  /** Returns the entities that the agent's tools touched last, in each conversation. */
  public AsyncEntities entities() {
    return new AsyncEntities(connection(), place());
  }

  /** Returns incoming texts that are not consolidated yet. */
  public AsyncFragments fragments() {
    return new AsyncFragments(connection(), place());
  }

  /** Returns the agent's long-term memories. */
  public AsyncMemories memories() {
    return new AsyncMemories(connection(), place());
  }

  /** Returns the agent's notes: titled, editable texts for prompts. */
  public AsyncNotes notes() {
    return new AsyncNotes(connection(), place());
  }

  /** Returns the agent's plans: goals in conversations, with the ordered steps to them. */
  public AsyncPlans plans() {
    return new AsyncPlans(connection(), place());
  }

  /**
   * Does what {@link Agent#transaction} does. {@link Transaction#commitAsync} commits it without
   * blocking.
   */
  public Transaction transaction() {
    return new Transaction(connection(), place());
  }

  /** Does what {@link Agent#compose()} does. */
  public CompletableFuture<ComposeContextResponse> compose() {
    return new AsyncContexts(connection(), place()).compose();
  }

  /** Does what {@link Agent#compose(ComposeContextOptions)} does. */
  public CompletableFuture<ComposeContextResponse> compose(ComposeContextOptions options) {
    return new AsyncContexts(connection(), place()).compose(options);
  }
}
