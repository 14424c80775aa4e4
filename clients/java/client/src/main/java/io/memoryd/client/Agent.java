package io.memoryd.client;

import io.memoryd.v1.AgentServiceGrpc;
import io.memoryd.v1.EndAgentRequest;
import io.memoryd.v1.EndAgentResponse;

/**
 * The root scope of an agent's working memory, and the parent of its scopes. The first change
 * creates the agent.
 */
public final class Agent extends WorkingMemory {
  Agent(Connection connection, String agentId) {
    super(connection, new Place(agentId, ""), Reading.DEFAULT);
  }

  /**
   * Returns an existing scope, such as one that another process created. Does not call the daemon.
   * Closing the scope disposes it, as with any scope: to keep it, do not close it.
   */
  public Scope attach(String scopeId) {
    if (scopeId.isEmpty()) {
      throw new IllegalArgumentException("an empty scope id names the root: use the agent itself");
    }
    return new Scope(connection(), new Place(agentId(), scopeId));
  }

  /** Returns an empty transaction, which collects changes of all kinds and makes them as one. */
  public Transaction transaction() {
    return new Transaction(connection(), agentId());
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
