package io.memoryd.client;

/**
 * A scope of an agent, by their ids, and the user that the agent is bound to. An empty scope id is
 * the agent's root scope, an empty user id binds none.
 */
record Place(String agentId, String scopeId, String userId) {
  /** Returns the root scope of an agent, without a user. */
  static Place root(String agentId) {
    return new Place(agentId, "", "");
  }

  /** Returns another scope of the agent. */
  Place scope(String id) {
    return new Place(agentId, id, userId);
  }

  /** Returns the same scope for another user. */
  Place user(String id) {
    return new Place(agentId, scopeId, id);
  }
}
