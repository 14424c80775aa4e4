package io.memoryd.client;

import io.memoryd.client.error.RevisionMismatchException;
import io.memoryd.v1.Entry;
import java.lang.reflect.Type;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Compare-and-set, repeated while other writers are faster. The entry keeps what the options do not
 * give.
 */
final class Update {
  // Each lost race is a write of another caller. After this many in a row the cause is not
  // contention.
  private static final int RACES_MAX = 1_000;

  private final WorkingMemory workingMemory;
  private final Place place;
  private final Values values;

  /** Updates the values that the working memory reads, which must be its own, current ones. */
  Update(WorkingMemory workingMemory, Place place, Values values) {
    this.workingMemory = workingMemory;
    this.place = place;
    this.values = values;
  }

  <T> T run(String key, Type type, T initial, UnaryOperator<T> change, EntryOptions options) {
    for (int race = 1; ; race++) {
      Optional<Entry> entry = workingMemory.getEntry(key);
      T value = entry.isPresent() ? values.read(entry.get().getValueJson(), type, key) : initial;
      String changed = values.write(change.apply(value));
      Condition unchanged = Condition.expectedRevision(entry.map(Entry::getRevision).orElse(0L));
      try {
        workingMemory.set(
            options
                .toRequest(place)
                .setKey(key)
                .setValueJson(changed)
                .setPrecondition(unchanged.toMessage())
                .setUpdateMask(options.toMask())
                .build());
        return values.read(changed, type, key);
      } catch (RevisionMismatchException faster) {
        if (race == RACES_MAX) {
          throw faster;
        }
      }
    }
  }
}
