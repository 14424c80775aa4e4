package io.memoryd.client;

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
    return withFilter(filter -> filter.getEntryBuilder().clearKeyPrefixes().addKeyPrefixes(prefix));
  }

  /** Selects the entries that have all of these tags. */
  public ListOptions withAllTags(String... tags) {
    return withFilter(filter -> filter.clearAllTags().addAllAllTags(List.of(tags)));
  }

  /** Selects the entries that have at least one of these tags. */
  public ListOptions withAnyTags(String... tags) {
    return withFilter(filter -> filter.clearAnyTags().addAllAnyTags(List.of(tags)));
  }

  /** Selects the entries of these types. */
  public ListOptions withEntryTypes(EntryType... types) {
    return withFilter(filter -> filter.getEntryBuilder().clearTypes().addAllTypes(List.of(types)));
  }

  /**
   * Selects the entries about any of these users, in place of those about none, for which the empty
   * id stands. The last of {@link #withUserIds} and {@link #withAllUsers} applies.
   */
  public ListOptions withUserIds(String... userIds) {
    return withFilter(
        filter -> filter.clearUserIds().addAllUserIds(List.of(userIds)).setAllUsers(false));
  }

  /** Selects the entries about all users and about none, in place of those about none. */
  public ListOptions withAllUsers() {
    return withFilter(filter -> filter.clearUserIds().setAllUsers(true));
  }

  /**
   * Selects the entries that this filter selects, such as by metadata and times. It replaces the
   * selections before.
   */
  public ListOptions withFilter(RecordFilter filter) {
    return with(request -> request.setFilter(filter));
  }

  /** Sets the order of the entries. */
  public ListOptions withOrder(ListOrder order) {
    return with(request -> request.setOrder(order));
  }

  /** Omits what a writer wrote: values, type names, tags and metadata. */
  public ListOptions withoutContent() {
    return with(request -> request.setView(RecordView.RECORD_VIEW_WITHOUT_CONTENT));
  }

  /** Returns a request with these options, without an agent and scope. */
  ListEntriesRequest.Builder toMessage() {
    return template.toBuilder();
  }

  private ListOptions withFilter(Consumer<RecordFilter.Builder> change) {
    return with(request -> change.accept(request.getFilterBuilder()));
  }

  private ListOptions with(Consumer<ListEntriesRequest.Builder> change) {
    ListEntriesRequest.Builder changed = template.toBuilder();
    change.accept(changed);
    return new ListOptions(changed.build());
  }
}
