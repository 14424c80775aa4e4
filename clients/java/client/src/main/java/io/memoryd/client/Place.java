package io.memoryd.client;

/** A scope of an agent, by their ids. An empty scope id is the agent's root scope. */
record Place(String agentId, String scopeId) {}
