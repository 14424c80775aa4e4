package io.memoryd.client;

import io.memoryd.v1.EventFilter;
import io.memoryd.v1.GetScopeRequest;
import io.memoryd.v1.RecordKind;
import io.memoryd.v1.WatchEventsRequest;
import java.util.ArrayList;
import java.util.List;

/** The watch by which a near cache is kept current. */
final class NearWatch {
  private static final String ROOT = "";

  private NearWatch() {}

  /**
   * Returns a scope, its ancestors and the root; nothing for the root, which is the whole agent.
   */
  static List<String> lookupPath(Connection connection, String agentId, String scopeId) {
    List<String> path = new ArrayList<>();
    String last = scopeId;
    while (!last.equals(ROOT)) {
      path.add(last);
      GetScopeRequest request =
          GetScopeRequest.newBuilder().setAgentId(agentId).setScopeId(last).build();
      last =
          Connection.perform(() -> connection.workingMemory().getScope(request))
              .getScope()
              .getParentScopeId();
    }
    if (!path.isEmpty()) {
      path.add(ROOT);
    }
    return path;
  }

  /**
   * Returns the request for the whole agent, or for a scope, which is the first of the path. The
   * others are its ancestors.
   */
  static WatchEventsRequest request(String agentId, List<String> path, NearCacheOptions options) {
    WatchEventsRequest.Builder request =
        WatchEventsRequest.newBuilder().setIncludeInitialState(true).setProgressOnCommit(true);
    EventFilter entries =
        filter(agentId)
            .addKinds(RecordKind.RECORD_KIND_ENTRY)
            .addKinds(RecordKind.RECORD_KIND_SCOPE)
            .setKeyPrefix(options.keyPrefix())
            .build();
    if (path.isEmpty()) {
      request.addFilters(entries);
    } else {
      request.addFilters(entries.toBuilder().addScopeIds(path.get(0)).setIncludeDescendants(true));
      request.addFilters(entries.toBuilder().addAllScopeIds(path.subList(1, path.size())));
    }
    if (options.hasNotes()) {
      request.addFilters(filter(agentId).addKinds(RecordKind.RECORD_KIND_NOTE));
    }
    return request.build();
  }

  private static EventFilter.Builder filter(String agentId) {
    return EventFilter.newBuilder().addAgentIds(agentId).addKinds(RecordKind.RECORD_KIND_AGENT);
  }
}
