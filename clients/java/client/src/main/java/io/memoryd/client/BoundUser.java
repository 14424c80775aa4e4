package io.memoryd.client;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.memoryd.v1.BatchForgetMemoriesRequest;
import io.memoryd.v1.EntryOperation;
import io.memoryd.v1.EventFilter;
import io.memoryd.v1.ListMemoryLinksRequest;
import io.memoryd.v1.ListMessagesRequest;
import io.memoryd.v1.RecordFilter;
import io.memoryd.v1.Write;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The user that an agent is bound to: whom it writes about, and whose records it selects. */
final class BoundUser {
  private static final String USER = "user_id";
  private static final String DRAFT = "draft";
  // Parts of a record, such as the messages of a conversation, have no user of their own.
  private static final List<String> LISTS = List.of("drafts", "operations");

  private BoundUser() {}

  /**
   * Makes what a request writes about the user, and selects the records of the user, unless it
   * names others.
   *
   * @param given the paths of the fields that the caller gives, which stay as they are
   */
  static void bind(Message.Builder request, Set<String> given, String userId) {
    if (userId.isEmpty()) {
      return;
    }
    write(request, "", given, userId);
    FieldDescriptor filter = find(request, "filter");
    if (filter != null && !namesRecords(request)) {
      select((RecordFilter.Builder) request.getFieldBuilder(filter), userId);
    }
  }

  /** Returns a change of a transaction that is about the user, unless it names another. */
  static Write bind(Write write, String userId) {
    if (userId.isEmpty() || write.getWriteCase() == Write.WriteCase.WRITE_NOT_SET) {
      return write;
    }
    Write.Builder bound = write.toBuilder();
    FieldDescriptor request =
        Write.getDescriptor().findFieldByNumber(write.getWriteCase().getNumber());
    write(bound.getFieldBuilder(request), "", Set.of(), userId);
    return bound.build();
  }

  /** Selects the records of the user, unless the filter selects users already. */
  static void select(RecordFilter.Builder filter, String userId) {
    if (!userId.isEmpty() && filter.getUserIdsCount() == 0 && !filter.getAllUsers()) {
      filter.addUserIds(userId);
    }
  }

  /** Selects the events of the user's records, unless the filter selects users already. */
  static void select(EventFilter.Builder filter, String userId) {
    if (!userId.isEmpty()) {
      select(filter.getRecordBuilder(), userId);
    }
  }

  private static void write(
      Message.Builder message, String place, Set<String> given, String userId) {
    FieldDescriptor user = find(message, USER);
    if (user != null && !isGiven(message, user) && !given.contains(place + USER)) {
      message.setField(user, userId);
    }
    FieldDescriptor draft = find(message, DRAFT);
    // An update changes the user of a record only where the caller says so.
    if (draft != null && find(message, "update_mask") == null) {
      write(message.getFieldBuilder(draft), place + DRAFT + ".", given, userId);
    }
    if (message instanceof EntryOperation.Builder operation && operation.hasSet()) {
      write(operation.getSetBuilder(), place + "set.", given, userId);
    }
    for (String name : LISTS) {
      FieldDescriptor list = find(message, name);
      for (int i = 0; list != null && i < message.getRepeatedFieldCount(list); i++) {
        String element = place + Given.element(name, i) + ".";
        write(message.getRepeatedFieldBuilder(list, i), element, given, userId);
      }
    }
  }

  /** Returns whether a message names a user, where it can also none. */
  private static boolean isGiven(Message.Builder message, FieldDescriptor user) {
    return user.hasPresence() ? message.hasField(user) : !message.getField(user).equals("");
  }

  /**
   * Returns whether a request names the records, or what they belong to, whose user is theirs: the
   * bound user would leave out those of a conversation without a user.
   */
  private static boolean namesRecords(Message.Builder request) {
    if (request instanceof BatchForgetMemoriesRequest.Builder forgetting) {
      // Without any condition, it would forget all that there is of the user.
      return forgetting.getMemoryIdsCount() > 0
          || forgetting.getFilter().equals(RecordFilter.getDefaultInstance());
    }
    if (request instanceof ListMemoryLinksRequest.Builder links) {
      return !links.getMemoryId().isEmpty();
    }
    return request instanceof ListMessagesRequest.Builder;
  }

  private static @Nullable FieldDescriptor find(Message.Builder message, String name) {
    return message.getDescriptorForType().findFieldByName(name);
  }
}
