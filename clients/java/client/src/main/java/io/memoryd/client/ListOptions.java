package io.memoryd.client;

import io.memoryd.v1.ListEntriesRequest;
import io.memoryd.v1.MemoryType;
import io.memoryd.v1.PayloadMode;
import java.util.List;
import java.util.function.Consumer;

/**
 * Selects the entries to list: those that match all filters. Immutable: each {@code with} method
 * returns a copy.
 */
public final class ListOptions {
  /** The own entries of the agent or scope, with their values. */
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
    return with(request -> request.setKeyPrefix(prefix));
  }

  /** Selects the entries that have all of these tags. */
  public ListOptions withTags(String... tags) {
    return with(request -> request.clearTags().addAllTags(List.of(tags)));
  }

  /** Selects the entries of these types. */
  public ListOptions withMemoryTypes(MemoryType... types) {
    return with(request -> request.clearMemoryTypes().addAllMemoryTypes(List.of(types)));
  }

  /** Omits the values. */
  public ListOptions withoutValues() {
    return with(request -> request.setPayloadMode(PayloadMode.PAYLOAD_MODE_METADATA_ONLY));
  }

  /** Returns a request with these options, without an agent and scope. */
  ListEntriesRequest.Builder toMessage() {
    return template.toBuilder();
  }

  private ListOptions with(Consumer<ListEntriesRequest.Builder> change) {
    ListEntriesRequest.Builder changed = template.toBuilder();
    change.accept(changed);
    return new ListOptions(changed.build());
  }
}
