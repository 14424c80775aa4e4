package io.memoryd.client;

/** Where entries are: an agent, and one of its scopes, or its root under an empty id. */
record Place(String agentId, String scopeId) {}
