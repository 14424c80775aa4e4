package io.memoryd.client;

import io.memoryd.v1.BatchGetEntriesRequest;
import io.memoryd.v1.Consistency;
import io.memoryd.v1.ContainsEntryRequest;
import io.memoryd.v1.GetEntryRequest;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;

/**
 * The way in which a working memory reads, and the requests of its reads.
 *
 * @param localOnly if true, reads do not fall back to the parents
 * @param consistency how current the reads are; empty for every change before the read
 */
record Reading(boolean localOnly, Optional<Consistency> consistency) {
  /** Reads fall back to the parents, and have every change before them. */
  static final Reading DEFAULT = new Reading(false, Optional.empty());

  /** Reads do not fall back to the parents, and have every change before them. */
  static final Reading OWN = DEFAULT.local();

  Reading local() {
    return new Reading(true, consistency);
  }

  Reading withMinRevision(long revision) {
    return with(Consistency.newBuilder().setMinRevision(revision));
  }

  Reading withMaxStaleness(Duration staleness) {
    return with(Consistency.newBuilder().setMaxStaleness(Durations.toMessage(staleness)));
  }

  GetEntryRequest getEntry(Place place, String key) {
    GetEntryRequest.Builder request =
        GetEntryRequest.newBuilder()
            .setAgentId(place.agentId())
            .setScopeId(place.scopeId())
            .setKey(key)
            .setLocalOnly(localOnly);
    consistency.ifPresent(request::setConsistency);
    return request.build();
  }

  BatchGetEntriesRequest batchGetEntries(Place place, Collection<String> keys) {
    BatchGetEntriesRequest.Builder request =
        BatchGetEntriesRequest.newBuilder()
            .setAgentId(place.agentId())
            .setScopeId(place.scopeId())
            .addAllKeys(keys)
            .setLocalOnly(localOnly);
    consistency.ifPresent(request::setConsistency);
    return request.build();
  }

  ContainsEntryRequest containsEntry(Place place, String key) {
    ContainsEntryRequest.Builder request =
        ContainsEntryRequest.newBuilder()
            .setAgentId(place.agentId())
            .setScopeId(place.scopeId())
            .setKey(key)
            .setLocalOnly(localOnly);
    consistency.ifPresent(request::setConsistency);
    return request.build();
  }

  private Reading with(Consistency.Builder requirement) {
    return new Reading(localOnly, Optional.of(requirement.build()));
  }
}
