package io.memoryd.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.ProtocolMessageEnum;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a caller gives of a message. Immutable.
 *
 * <p>The fields are set by their paths at run time, because that is one function for all of them,
 * and takes a few microseconds of a call.
 *
 * @param message the message with the fields that are given
 * @param paths the paths of these fields, also of those that are given as empty
 * @param timeout the timeout of the call; empty for the client's
 */
record Given(Message message, Set<String> paths, Optional<Duration> timeout) {
  /** Returns nothing but an empty message. */
  static Given of(Message message) {
    return new Given(message, Set.of(), Optional.empty());
  }

  /** Returns the name of an element of a list, for the paths of its fields. */
  static String element(String list, int index) {
    return list + "[" + index + "]";
  }

  /**
   * Sets the field at a path, such as "draft.title".
   *
   * @throws IllegalArgumentException if a field is set that excludes this one
   */
  Given with(String path, @Nullable Object value) {
    Message.Builder changed = message.toBuilder();
    put(changed, path, value);
    return and(changed.build(), path, value);
  }

  /** Removes the field at a path, which counts as given. */
  Given without(String field) {
    Message.Builder changed = message.toBuilder();
    changed.clearField(find(changed, field));
    return and(changed.build(), field, field);
  }

  /**
   * Adds a condition of a filter to the others.
   *
   * @throws IllegalArgumentException if it is given twice, or selects nothing
   */
  Given select(String path, @Nullable Object value) {
    String name = path.substring(path.lastIndexOf('.') + 1);
    if (value instanceof Collection<?> alternatives) {
      Selections.check(name, alternatives);
    }
    Message.Builder changed = message.toBuilder();
    Selections.add(changed, of(message.getDefaultInstanceForType()).with(path, value).message());
    return and(changed.build(), path, value);
  }

  Given withTimeout(Duration duration) {
    if (duration.isNegative() || duration.isZero()) {
      throw new IllegalArgumentException("a timeout must be positive, not " + duration);
    }
    return new Given(message, paths, Optional.of(duration));
  }

  private Given and(Message changed, String path, @Nullable Object value) {
    Set<String> all = new TreeSet<>(paths);
    all.add(path);
    if (value instanceof Collection<?> elements) {
      int index = 0;
      for (Object each : elements) {
        addInner(all, element(path, index++), each);
      }
    }
    return new Given(changed, Collections.unmodifiableSet(all), timeout);
  }

  private static void addInner(Set<String> paths, String place, @Nullable Object value) {
    if (value instanceof Fields<?> fields) {
      fields.given().paths().forEach(path -> paths.add(place + "." + path));
    }
  }

  private static void put(Message.Builder message, String path, @Nullable Object value) {
    int end = path.indexOf('.');
    if (end >= 0) {
      FieldDescriptor outer = find(message, path.substring(0, end));
      checkAlone(message, outer);
      put(message.getFieldBuilder(outer), path.substring(end + 1), value);
      return;
    }
    FieldDescriptor field = find(message, path);
    checkAlone(message, field);
    if (field.isRepeated()) {
      message.clearField(field);
      elements(value)
          .forEach(each -> message.addRepeatedField(field, convert(message, field, each)));
    } else {
      message.setField(field, convert(message, field, value));
    }
  }

  private static Collection<?> elements(Object value) {
    if (!(value instanceof float[] vector)) {
      return (Collection<?>) value;
    }
    List<Float> numbers = new ArrayList<>(vector.length);
    for (float each : vector) {
      numbers.add(each);
    }
    return numbers;
  }

  /** Checks that setting the field does not clear another one. */
  private static void checkAlone(Message.Builder message, FieldDescriptor field) {
    OneofDescriptor oneof = field.getContainingOneof();
    if (oneof != null && message.hasOneof(oneof) && !message.hasField(field)) {
      String other = message.getOneofFieldDescriptor(oneof).getName();
      throw new IllegalArgumentException(
          other + " and " + field.getName() + " exclude each other: give one of them");
    }
  }

  /** Returns a value as one of the field's type. */
  private static Object convert(
      Message.Builder message, FieldDescriptor field, @Nullable Object value) {
    if (field.getJavaType() == JavaType.MESSAGE) {
      return toMessage(message, field, value);
    }
    if (value instanceof ProtocolMessageEnum constant) {
      return constant.getValueDescriptor();
    }
    return value instanceof byte[] bytes ? ByteString.copyFrom(bytes) : value;
  }

  private static Message toMessage(
      Message.Builder message, FieldDescriptor field, @Nullable Object value) {
    Message empty = message.newBuilderForField(field).build();
    if (Structs.isJson(empty)) {
      return Structs.of(field.getName(), empty, value);
    }
    if (value instanceof Fields<?> fields) {
      return fields.given().message();
    }
    if (value instanceof Duration duration) {
      return Durations.toMessage(duration);
    }
    if (value instanceof Instant moment) {
      return Durations.toMessage(moment);
    }
    if (value instanceof Condition condition) {
      return condition.toMessage();
    }
    // A message without fields says all by being there.
    return value instanceof Message given ? given : empty;
  }

  private static @Nullable FieldDescriptor find(Message.Builder message, String name) {
    return message.getDescriptorForType().findFieldByName(name);
  }
}
