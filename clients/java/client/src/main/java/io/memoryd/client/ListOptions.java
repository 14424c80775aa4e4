package io.memoryd.client;

import io.memoryd.v1.ListEntriesRequest;
import io.memoryd.v1.MemoryType;
import io.memoryd.v1.PayloadMode;
import java.util.List;
import java.util.function.Consumer;

/**
 * Which entries to list: those that pass all of it. Immutable: each {@code with} answers another
 * one.
 */
public final class ListOptions {
  /** The place's own entries, with their values. */
  public static final ListOptions DEFAULT =
      new ListOptions(ListEntriesRequest.getDefaultInstance());

  private final ListEntriesRequest template;

  private ListOptions(ListEntriesRequest template) {
    this.template = template;
  }

  /** Lists also what a lookup would find above: the nearest entry of each key, up to the root. */
  public ListOptions withInherited() {
    return with(request -> request.setIncludeInherited(true));
  }

  /** Keeps the keys that start with this. */
  public ListOptions withKeyPrefix(String prefix) {
    return with(request -> request.setKeyPrefix(prefix));
  }

  /** Keeps the entries that have all of these tags. */
  public ListOptions withTags(String... tags) {
    return with(request -> request.clearTags().addAllTags(List.of(tags)));
  }

  /** Keeps the entries of any of these kinds. */
  public ListOptions withMemoryTypes(MemoryType... types) {
    return with(request -> request.clearMemoryTypes().addAllMemoryTypes(List.of(types)));
  }

  /** Leaves the values out. */
  public ListOptions withoutValues() {
    return with(request -> request.setPayloadMode(PayloadMode.PAYLOAD_MODE_METADATA_ONLY));
  }

  /** Answers a request with these options, to be completed by the place. */
  ListEntriesRequest.Builder toMessage() {
    return template.toBuilder();
  }

  private ListOptions with(Consumer<ListEntriesRequest.Builder> change) {
    ListEntriesRequest.Builder changed = template.toBuilder();
    change.accept(changed);
    return new ListOptions(changed.build());
  }
}
