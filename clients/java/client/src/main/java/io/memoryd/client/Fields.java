package io.memoryd.client;

import com.google.protobuf.FieldMask;
import io.memoryd.v1.RecordFilter;
import java.time.Duration;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a caller gives of a message, in a class with a method for each field. Immutable.
 *
 * @param <S> the class
 */
abstract class Fields<S extends Fields<S>> {
  private final Given given;

  Fields(Given given) {
    this.given = given;
  }

  /** Returns an object of this class with other fields. */
  abstract S copy(Given changed);

  Given given() {
    return given;
  }

  S with(String path, @Nullable Object value) {
    return copy(given.with(path, value));
  }

  S without(String field) {
    return copy(given.without(field));
  }

  S select(String path, @Nullable Object value) {
    return copy(given.select(path, value));
  }

  /** Adds a condition of the filter, which this is, or which this has. */
  S filter(String condition, @Nullable Object value) {
    boolean isFilter = given.message() instanceof RecordFilter;
    return select(isFilter ? condition : "filter." + condition, value);
  }

  /** Sets the draft of a request that updates a record, and the mask of what it changes. */
  S change(Fields<?> changes) {
    var names = new TreeSet<String>();
    // The time to live is another way to say when a record expires.
    changes.given().paths().forEach(each -> names.add(each.equals("ttl") ? "expire_time" : each));
    FieldMask mask = FieldMask.newBuilder().addAllPaths(names).build();
    return with("draft", changes).with("update_mask", mask);
  }

  S timeout(Duration duration) {
    return copy(given.withTimeout(duration));
  }
}
