package io.memoryd.client;

import io.memoryd.v1.AgentServiceGrpc;
import io.memoryd.v1.EndAgentRequest;
import io.memoryd.v1.EndAgentResponse;

/**
 * One agent: the root of its working memory, and the parent of its scopes. It begins with its first
 * change.
 */
public final class Agent extends WorkingMemory {
  Agent(Connection connection, String agentId) {
    super(connection, new Place(agentId, ""), false);
  }

  /**
   * Answers a scope that is there already, without asking the daemon, such as one of another
   * process. Closing it disposes it, as with any scope: leave it open to let it stay.
   */
  public Scope attach(String scopeId) {
    if (scopeId.isEmpty()) {
      throw new IllegalArgumentException("an empty id names the root, which is no scope");
    }
    return new Scope(connection(), new Place(agentId(), scopeId));
  }

  /**
   * Removes the agent with all of its records and scopes. The same id may be used again.
   *
   * @throws io.memoryd.client.error.AgentNotFoundException if there is no such agent
   */
  public EndAgentResponse end() {
    EndAgentRequest request = EndAgentRequest.newBuilder().setAgentId(agentId()).build();
    return Connection.perform(
        () -> AgentServiceGrpc.newBlockingStub(connection().channel()).endAgent(request));
  }
}
