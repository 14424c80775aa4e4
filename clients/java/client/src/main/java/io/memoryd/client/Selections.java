package io.memoryd.client;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import io.memoryd.v1.RecordFilter;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** The conditions of several filters, which must all hold. */
final class Selections {
  // More of these only narrow a filter down.
  private static final Set<String> NARROWING = Set.of("all_tags", "none_of", "metadata");

  private Selections() {}

  /**
   * Adds conditions to those of a filter.
   *
   * @throws IllegalArgumentException if both have a condition that would select more than each
   */
  static void add(Message.Builder filter, Message conditions) {
    conditions.getAllFields().forEach((field, value) -> add(filter, field, value));
    if (filter instanceof RecordFilter.Builder records
        && records.getAllUsers()
        && records.getUserIdsCount() > 0) {
      throw new IllegalArgumentException(
          "the selections of some users and of all users exclude each other");
    }
  }

  /**
   * Returns what is selected by.
   *
   * @throws IllegalArgumentException if there are none, which would select all
   */
  static <T> List<T> some(String what, T[] given) {
    checkSome(what, given.length);
    return List.of(given);
  }

  /**
   * Checks a list of a filter by its name.
   *
   * @throws IllegalArgumentException if it lists no alternatives, which would select all
   */
  static void check(String field, Collection<?> given) {
    if (!NARROWING.contains(field)) {
      checkSome(field.replace('_', ' '), given.size());
    }
  }

  private static void checkSome(String what, int count) {
    if (count == 0) {
      throw new IllegalArgumentException(
          "a selection by " + what + " must name at least one: leave it out to select all");
    }
  }

  private static void add(Message.Builder filter, FieldDescriptor field, Object value) {
    if (!has(filter, field)) {
      check(filter, field);
      filter.setField(field, value);
    } else if (NARROWING.contains(field.getName())) {
      ((List<?>) value).forEach(each -> filter.addRepeatedField(field, each));
    } else if (isFilter(field)) {
      add(filter.getFieldBuilder(field), (Message) value);
    } else {
      throw new IllegalArgumentException(field.getName() + " is selected twice: select it once");
    }
  }

  private static boolean has(Message.Builder filter, FieldDescriptor field) {
    return field.isRepeated()
        ? filter.getRepeatedFieldCount(field) > 0
        : filter.getAllFields().containsKey(field);
  }

  /** Checks that setting the field does not clear another one. */
  private static void check(Message.Builder filter, FieldDescriptor field) {
    if (field.getContainingOneof() != null && filter.hasOneof(field.getContainingOneof())) {
      throw new IllegalArgumentException(
          "the conditions on "
              + filter.getOneofFieldDescriptor(field.getContainingOneof()).getName()
              + " and on "
              + field.getName()
              + " exclude each other");
    }
  }

  /** Returns whether the field holds conditions, such as those on entries. */
  private static boolean isFilter(FieldDescriptor field) {
    return !field.isRepeated()
        && field.getJavaType() == JavaType.MESSAGE
        && field.getMessageType().getFile().getPackage().equals("memoryd.v1");
  }
}
