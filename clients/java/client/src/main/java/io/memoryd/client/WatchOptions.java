package io.memoryd.client;

import io.memoryd.v1.EventCause;
import io.memoryd.v1.EventFilter;
import io.memoryd.v1.EventType;
import io.memoryd.v1.RecordFilter;
import io.memoryd.v1.RecordKind;
import io.memoryd.v1.RecordView;
import io.memoryd.v1.WatchEventsRequest;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * The options of a watch. Immutable: each {@code with} method returns a copy.
 *
 * <p>The last of {@link #withResumeToken}, {@link #withAfterRevision} and {@link #withInitialState}
 * applies; without any of them the watch begins with the next commit.
 *
 * <p>An event is emitted if it matches every selection. With {@link #withKeyPrefix}, {@link
 * #withConversationIds} or {@link #withUserIds}, events that may concern such records, such as
 * those about the whole agent, are emitted, too. Each selection is made once, by its method or in a
 * filter of records. Otherwise the method throws {@link IllegalArgumentException}, as it does for a
 * selection that names none of what it selects by.
 */
public final class WatchOptions {
  static final Duration OUTAGE_MAX = Duration.ofSeconds(300);

  /**
   * All events with their content from the next commit on, until the daemon has been unavailable
   * for 300 seconds.
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

  /** Selects the events about entries whose key starts with this prefix. */
  public WatchOptions withKeyPrefix(String prefix) {
    return withFilter(EventFilter.newBuilder().setKeyPrefix(prefix));
  }

  /** Selects the events of these types. */
  public WatchOptions withEventTypes(EventType... types) {
    return withFilter(EventFilter.newBuilder().addAllEventTypes(Selections.some("types", types)));
  }

  /** Selects the events about records of these kinds. */
  public WatchOptions withKinds(RecordKind... kinds) {
    return withFilter(EventFilter.newBuilder().addAllKinds(Selections.some("kinds", kinds)));
  }

  /**
   * Selects the events of these causes. Those of the initial state have {@code
   * EVENT_CAUSE_INITIAL_STATE}.
   */
  public WatchOptions withCauses(EventCause... causes) {
    return withFilter(EventFilter.newBuilder().addAllCauses(Selections.some("causes", causes)));
  }

  /**
   * Selects the events of these conversations, and of their messages, plans, windows of entities
   * and memories. An empty id selects records of no conversation.
   */
  public WatchOptions withConversationIds(String... conversationIds) {
    List<String> chosen = Selections.some("conversations", conversationIds);
    return withRecords(RecordFilter.newBuilder().addAllConversationIds(chosen).build());
  }

  /** Selects the events of records about these users. An empty id selects records about no user. */
  public WatchOptions withUserIds(String... userIds) {
    List<String> chosen = Selections.some("users", userIds);
    return withRecords(RecordFilter.newBuilder().addAllUserIds(chosen).build());
  }

  /** Selects the events of the records that this filter selects. */
  public WatchOptions withRecords(RecordFilter filter) {
    return withFilter(EventFilter.newBuilder().setRecord(filter));
  }

  /**
   * Omits what a writer wrote, such as the values, type names, tags and metadata of entries. Ids,
   * keys, numbers, enums and times remain.
   */
  public WatchOptions withoutContent() {
    return with(request -> request.setView(RecordView.RECORD_VIEW_WITHOUT_CONTENT));
  }

  /** Adds the record before each change to its event, if the journal still retains it. */
  public WatchOptions withPrevious() {
    return with(request -> request.setIncludePrevious(true));
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
    BoundUser.select(placed, place.userId());
    return template.toBuilder().addFilters(placed).build();
  }

  private WatchOptions withFilter(EventFilter.Builder conditions) {
    EventFilter.Builder changed = filter.toBuilder();
    Selections.add(changed, conditions.build());
    return new WatchOptions(changed.build(), template, outageMax);
  }

  private WatchOptions with(Consumer<WatchEventsRequest.Builder> change) {
    WatchEventsRequest.Builder changed = template.toBuilder();
    change.accept(changed);
    return new WatchOptions(filter, changed.build(), outageMax);
  }
}
