package io.memoryd.client;

import io.memoryd.v1.ClearEntriesRequest;
import io.memoryd.v1.RemoveEntryRequest;
import io.memoryd.v1.SetEntryRequest;

/** The requests that change the entries of an agent or scope, without conditions. */
final class EntryRequests {
  private EntryRequests() {}

  static SetEntryRequest.Builder set(Place place, String key, String text, EntryOptions options) {
    return options.toRequest(place).setKey(key).setValueJson(text);
  }

  static RemoveEntryRequest.Builder remove(Place place, String key) {
    return RemoveEntryRequest.newBuilder()
        .setAgentId(place.agentId())
        .setScopeId(place.scopeId())
        .setKey(key);
  }

  static ClearEntriesRequest.Builder clear(Place place) {
    return ClearEntriesRequest.newBuilder().setAgentId(place.agentId()).setScopeId(place.scopeId());
  }
}
