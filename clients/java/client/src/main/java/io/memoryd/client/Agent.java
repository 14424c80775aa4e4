package io.memoryd.client;

import io.memoryd.v1.AgentServiceGrpc;
import io.memoryd.v1.ComposeContextResponse;
import io.memoryd.v1.EndAgentRequest;
import io.memoryd.v1.EndAgentResponse;

/**
 * All that an agent remembers: its entries, which are those of its root scope, and its records of
 * the other kinds. The first change creates the agent.
 */
public final class Agent extends WorkingMemory {
  Agent(Connection connection, Place place) {
    super(connection, place, Reading.DEFAULT);
  }

  /**
   * Returns the same agent with a bound user. What it writes is about this user, and what it lists,
   * recalls, searches, composes and watches is this user's alone, unless a call names other users.
   * Reads by id and key are the same, and so are the listings of a conversation's messages and of a
   * memory's links. An update keeps the user of an existing record. An empty id binds none.
   *
   * <p>A conversation that {@link Conversations#append} creates is of no user: create one of the
   * user with {@link Conversations#create}.
   */
  public Agent user(String userId) {
    return new Agent(connection(), place().user(userId));
  }

  /** Returns the same agent, whose methods do not block. */
  @Override
  public AsyncAgent async() {
    return new AsyncAgent(connection(), place());
  }

  /** Returns the messages between the agent and others. */
  public Conversations conversations() {
    return new Conversations(connection(), place());
  }

  /** Returns the agent's documents: source texts for prompts, whole or in chunks. */
  public Documents documents() {
    return new Documents(connection(), place());
  }

  /** Returns the entities that the agent's tools touched last, in each conversation. */
  public Entities entities() {
    return new Entities(connection(), place());
  }

  /** Returns incoming texts that are not consolidated yet. */
  public Fragments fragments() {
    return new Fragments(connection(), place());
  }

  /** Returns the agent's long-term memories. */
  public Memories memories() {
    return new Memories(connection(), place());
  }

  /** Returns the agent's notes: titled, editable texts for prompts. */
  public Notes notes() {
    return new Notes(connection(), place());
  }

  /** Returns the agent's plans: goals in conversations, with the ordered steps to them. */
  public Plans plans() {
    return new Plans(connection(), place());
  }

  /** Composes a context as {@link #compose(ComposeContextOptions)} does, without options. */
  public ComposeContextResponse compose() {
    return compose(ComposeContextOptions.DEFAULT);
  }

  /**
   * Composes a context for a model of what the agent remembers: messages that fit into a budget of
   * tokens, in sections of the options' choice.
   */
  public ComposeContextResponse compose(ComposeContextOptions options) {
    return new Contexts(connection(), place()).compose(options);
  }

  /**
   * Returns an existing scope, such as one that another process created. Does not call the daemon.
   * Closing the scope disposes it, as with any scope: to keep it, do not close it.
   */
  public Scope attach(String scopeId) {
    if (scopeId.isEmpty()) {
      throw new IllegalArgumentException("an empty scope id names the root: use the agent itself");
    }
    return new Scope(connection(), place().scope(scopeId));
  }

  /** Returns an empty transaction, which collects changes of all kinds and makes them as one. */
  public Transaction transaction() {
    return new Transaction(connection(), place());
  }

  /** Opens a near cache of the whole agent, as {@link #nearCache(NearCacheOptions)} does. */
  public NearCache nearCache() {
    return nearCache(NearCacheOptions.DEFAULT);
  }

  /**
   * Opens a live copy of the agent's entries, scopes and notes in this process. Returns once the
   * copy is complete; interrupting the thread ends the wait.
   *
   * @throws io.memoryd.client.error.CacheFullException if the records take more memory than the
   *     options allow
   * @throws io.memoryd.client.error.RecordNotFoundException if there is no such scope
   */
  public NearCache nearCache(NearCacheOptions options) {
    return new NearCache(
        connection(), place(), NearCopy.open(connection(), agentId(), options), options);
  }

  /**
   * Removes the agent with all of its records and scopes. Its id may be used again. Ending an agent
   * that does not exist is not an error: then {@code getDeleted()} is false. {@link
   * RecordCounts#byKind} reads the numbers of the removed records.
   */
  public EndAgentResponse end() {
    return end(EndOptions.DEFAULT);
  }

  /**
   * Removes the agent with these options, as {@link #end()} does.
   *
   * @throws io.memoryd.client.error.AgentNotFoundException if the condition needs an agent, and
   *     there is none
   * @throws io.memoryd.client.error.RevisionMismatchException if the agent has another revision
   *     than the condition says
   */
  public EndAgentResponse end(EndOptions options) {
    EndAgentRequest request = options.toMessage().setAgentId(agentId()).build();
    return Connection.perform(
        () -> AgentServiceGrpc.newBlockingStub(connection().channel()).endAgent(request));
  }
}
