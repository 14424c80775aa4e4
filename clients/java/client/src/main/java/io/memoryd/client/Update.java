package io.memoryd.client;

import io.memoryd.client.error.RevisionMismatchException;
import io.memoryd.v1.Entry;
import io.memoryd.v1.SetEntryRequest;
import java.lang.reflect.Type;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Compare-and-set, repeated while other writers are faster. The entry keeps what the options do not
 * give.
 */
final class Update {
  // Each lost race is a write of another caller. After this many in a row the cause is not
  // contention.
  static final int RACES_MAX = 1_000;

  private final WorkingMemory workingMemory;
  private final Place place;
  private final Values values;

  /** Updates the values that the working memory reads, which must be its own, current ones. */
  Update(WorkingMemory workingMemory, Place place, Values values) {
    this.workingMemory = workingMemory;
    this.place = place;
    this.values = values;
  }

  <T> @Nullable T run(
      String key,
      Type type,
      @Nullable T initial,
      UnaryOperator<@Nullable T> change,
      EntryOptions options) {
    for (int race = 1; ; race++) {
      Optional<Entry> entry = workingMemory.getEntry(key);
      T value = entry.isPresent() ? values.read(entry.get().getValueJson(), type, key) : initial;
      String changed = values.write(change.apply(value));
      try {
        workingMemory.set(request(place, key, changed, entry, options).build());
        return values.read(changed, type, key);
      } catch (RevisionMismatchException faster) {
        if (race == RACES_MAX) {
          throw faster;
        }
      }
    }
  }

  /** Returns the request that sets a value unless the entry that was read, or none, has changed. */
  static SetEntryRequest.Builder request(
      Place place, String key, String changed, Optional<Entry> read, EntryOptions options) {
    Condition unchanged = Condition.expectedRevision(read.map(Entry::getRevision).orElse(0L));
    return options
        .toRequest(place)
        .setKey(key)
        .setValueJson(changed)
        .setPrecondition(unchanged.toMessage())
        .setUpdateMask(options.toMask());
  }
}
