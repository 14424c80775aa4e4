package io.memoryd.client;

import io.memoryd.client.error.RevisionMismatchException;
import io.memoryd.v1.Entry;
import io.memoryd.v1.SetEntryRequest;
import java.lang.reflect.Type;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** An {@link Update} without blocking. */
final class AsyncUpdate<T> {
  private final AsyncWorkingMemory own;
  private final String key;
  private final Type type;
  private final @Nullable T initial;
  private final UnaryOperator<@Nullable T> change;
  private final EntryOptions options;
  private final Steps<@Nullable T> steps = new Steps<>();

  /** Updates a value of working memory whose reads are its own, current ones. */
  AsyncUpdate(
      AsyncWorkingMemory own,
      String key,
      Type type,
      @Nullable T initial,
      UnaryOperator<@Nullable T> change,
      EntryOptions options) {
    this.own = own;
    this.key = key;
    this.type = type;
    this.initial = initial;
    this.change = change;
    this.options = options;
  }

  CompletableFuture<@Nullable T> run() {
    read(1);
    return steps.result();
  }

  private void read(int race) {
    steps.after(own.getEntry(key), entry -> write(entry, race));
  }

  private void write(Optional<Entry> entry, int race) {
    Values values = own.connection().values();
    T value = entry.isPresent() ? values.read(entry.get().getValueJson(), type, key) : initial;
    String changed = values.write(change.apply(value));
    SetEntryRequest.Builder request = Update.request(own.place(), key, changed, entry, options);
    steps.after(
        own.set(request),
        stored -> steps.complete(values.read(changed, type, key)),
        error -> {
          if (error instanceof RevisionMismatchException && race < Update.RACES_MAX) {
            read(race + 1);
          } else {
            steps.fail(error);
          }
        });
  }
}
