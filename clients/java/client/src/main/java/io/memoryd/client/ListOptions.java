package io.memoryd.client;

import io.memoryd.v1.EntryCondition;
import io.memoryd.v1.EntryType;
import io.memoryd.v1.ListEntriesRequest;
import io.memoryd.v1.ListOrder;
import io.memoryd.v1.RecordFilter;
import io.memoryd.v1.RecordView;
import java.util.List;
import java.util.function.Consumer;

/**
 * Selects the entries to list, which are those that match all filters, and their order. Immutable:
 * each {@code with} method returns a copy.
 *
 * <p>Each selection is made once, by its method or in a filter. Otherwise the method throws {@link
 * IllegalArgumentException}, as it does for a selection that names none of what it selects by.
 */
public final class ListOptions {
  /** The own entries of the agent or scope, whole, in the order of their keys. */
  public static final ListOptions DEFAULT =
      new ListOptions(ListEntriesRequest.getDefaultInstance());

  private final ListEntriesRequest template;

  private ListOptions(ListEntriesRequest template) {
    this.template = template;
  }

  /** Lists every entry that a read finds: the nearest one of each key, up to the root. */
  public ListOptions withInherited() {
    return with(request -> request.setIncludeInherited(true));
  }

  /** Selects the keys that start with this prefix. */
  public ListOptions withKeyPrefix(String prefix) {
    return prefix.isEmpty() ? this : withEntry(EntryCondition.newBuilder().addKeyPrefixes(prefix));
  }

  /** Selects the entries that have all of these tags. */
  public ListOptions withAllTags(String... tags) {
    return withFilter(RecordFilter.newBuilder().addAllAllTags(List.of(tags)).build());
  }

  /** Selects the entries that have at least one of these tags. */
  public ListOptions withAnyTags(String... tags) {
    return withFilter(
        RecordFilter.newBuilder().addAllAnyTags(Selections.some("tags", tags)).build());
  }

  /** Selects the entries of these types. */
  public ListOptions withEntryTypes(EntryType... types) {
    return withEntry(EntryCondition.newBuilder().addAllTypes(Selections.some("types", types)));
  }

  /**
   * Selects the entries about any of these users, in place of those about none, for which the empty
   * id stands.
   */
  public ListOptions withUserIds(String... userIds) {
    return withFilter(
        RecordFilter.newBuilder().addAllUserIds(Selections.some("users", userIds)).build());
  }

  /** Selects the entries about all users and about none, in place of those about none. */
  public ListOptions withAllUsers() {
    return withFilter(RecordFilter.newBuilder().setAllUsers(true).build());
  }

  /** Selects the entries that this filter selects, too, such as by metadata and times. */
  public ListOptions withFilter(RecordFilter filter) {
    return with(request -> Selections.add(request.getFilterBuilder(), filter));
  }

  /** Sets the order of the entries. */
  public ListOptions withOrder(ListOrder order) {
    return with(request -> request.setOrder(order));
  }

  /** Omits what a writer wrote: values, type names, tags and metadata. */
  public ListOptions withoutContent() {
    return with(request -> request.setView(RecordView.RECORD_VIEW_WITHOUT_CONTENT));
  }

  /** Returns a request for the entries of an agent or scope, and of its bound user. */
  ListEntriesRequest.Builder toMessage(Place place) {
    ListEntriesRequest.Builder request =
        template.toBuilder().setAgentId(place.agentId()).setScopeId(place.scopeId());
    if (!place.userId().isEmpty()) {
      BoundUser.select(request.getFilterBuilder(), place.userId());
    }
    return request;
  }

  private ListOptions withEntry(EntryCondition.Builder condition) {
    return withFilter(RecordFilter.newBuilder().setEntry(condition).build());
  }

  private ListOptions with(Consumer<ListEntriesRequest.Builder> change) {
    ListEntriesRequest.Builder changed = template.toBuilder();
    change.accept(changed);
    return new ListOptions(changed.build());
  }
}
