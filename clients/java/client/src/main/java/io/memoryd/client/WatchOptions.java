package io.memoryd.client;

import io.memoryd.v1.EventFilter;
import io.memoryd.v1.EventType;
import io.memoryd.v1.PayloadMode;
import io.memoryd.v1.WatchEventsRequest;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * The options of a watch. Immutable: each {@code with} method returns a copy.
 *
 * <p>The last of {@link #withResumeToken}, {@link #withAfterRevision} and {@link #withInitialState}
 * applies; without any of them the watch begins with the next commit.
 */
public final class WatchOptions {
  static final Duration OUTAGE_MAX = Duration.ofSeconds(300);

  /**
   * All events with their values from the next commit on, until the daemon has been unavailable for
   * 300 seconds.
   */
  public static final WatchOptions DEFAULT =
      new WatchOptions(
          EventFilter.getDefaultInstance(), WatchEventsRequest.getDefaultInstance(), OUTAGE_MAX);

  private final EventFilter filter;
  private final WatchEventsRequest template;
  private final Duration outageMax;

  private WatchOptions(EventFilter filter, WatchEventsRequest template, Duration outageMax) {
    this.filter = filter;
    this.template = template;
    this.outageMax = outageMax;
  }

  /** Continues after the last event that another watch had returned when it had this token. */
  public WatchOptions withResumeToken(String token) {
    return with(request -> request.setResumeToken(token));
  }

  /** Begins with the events after this revision of the agent. */
  public WatchOptions withAfterRevision(long revision) {
    return with(request -> request.setAfterRevision(revision));
  }

  /** Begins with the existing state, as events of {@code EVENT_CAUSE_INITIAL_STATE}. */
  public WatchOptions withInitialState() {
    return with(request -> request.setIncludeInitialState(true));
  }

  /**
   * Selects the events about entries whose key starts with this prefix. Events that are not about
   * one entry are emitted, too.
   */
  public WatchOptions withKeyPrefix(String prefix) {
    return withFilter(filter.toBuilder().setKeyPrefix(prefix).build());
  }

  /** Selects the events of these types. */
  public WatchOptions withEventTypes(EventType... types) {
    return withFilter(
        filter.toBuilder().clearEventTypes().addAllEventTypes(List.of(types)).build());
  }

  /** Omits the values of entries. */
  public WatchOptions withoutValues() {
    return with(request -> request.setPayloadMode(PayloadMode.PAYLOAD_MODE_METADATA_ONLY));
  }

  /** Omits the events that this origin caused. */
  public WatchOptions withExcludeOrigin(String origin) {
    return with(request -> request.setExcludeOrigin(origin));
  }

  /** Sets how often the resume token advances when no event matches: 100 ms to 1 hour. */
  public WatchOptions withProgressInterval(Duration interval) {
    return with(request -> request.setProgressInterval(Durations.toMessage(interval)));
  }

  /** Sets how long the daemon may stay unavailable before the watch fails. */
  public WatchOptions withOutageMax(Duration duration) {
    return new WatchOptions(filter, template, duration);
  }

  Duration outageMax() {
    return outageMax;
  }

  /** Returns the request to watch an agent with all its scopes, or a scope with those below it. */
  WatchEventsRequest toMessage(Place place) {
    EventFilter.Builder placed = filter.toBuilder().addAgentIds(place.agentId());
    if (!place.scopeId().isEmpty()) {
      placed.addScopeIds(place.scopeId()).setIncludeDescendants(true);
    }
    return template.toBuilder().addFilters(placed).build();
  }

  private WatchOptions withFilter(EventFilter changed) {
    return new WatchOptions(changed, template, outageMax);
  }

  private WatchOptions with(Consumer<WatchEventsRequest.Builder> change) {
    WatchEventsRequest.Builder changed = template.toBuilder();
    change.accept(changed);
    return new WatchOptions(filter, changed.build(), outageMax);
  }
}
