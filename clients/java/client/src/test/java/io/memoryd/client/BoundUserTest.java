package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.memoryd.v1.BatchCreateMemoriesRequest;
import io.memoryd.v1.BatchForgetMemoriesRequest;
import io.memoryd.v1.BatchWriteEntriesRequest;
import io.memoryd.v1.CommitRequest;
import io.memoryd.v1.ComposeContextRequest;
import io.memoryd.v1.CreateConversationRequest;
import io.memoryd.v1.CreateNoteRequest;
import io.memoryd.v1.CreateScopeRequest;
import io.memoryd.v1.ListEntriesRequest;
import io.memoryd.v1.ListMemoryLinksRequest;
import io.memoryd.v1.ListMessagesRequest;
import io.memoryd.v1.MessageRole;
import io.memoryd.v1.RecordFilter;
import io.memoryd.v1.RecordKind;
import io.memoryd.v1.ReserveEntryResponse;
import io.memoryd.v1.ReserveOutcome;
import io.memoryd.v1.SetEntitiesRequest;
import io.memoryd.v1.SetEntryRequest;
import io.memoryd.v1.UpdateNoteRequest;
import io.memoryd.v1.Write;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class BoundUserTest {
  private RecordingDaemon daemon;
  private Agent ada;

  @BeforeEach
  void start() throws IOException {
    daemon = new RecordingDaemon();
    ada = daemon.agent().user("ada");
  }

  @AfterEach
  void stop() {
    daemon.close();
  }

  @Test
  void itIsThatOfWhatIsWrittenUnlessACallNamesAnother() {
    for (Optional<String> named : List.of(Optional.<String>empty(), named("bob"), named(""))) {
      String expected = named.orElse("ada");
      CreateNoteOptions note = CreateNoteOptions.DEFAULT;
      ada.notes().create("t", "c", named.map(note::withUserId).orElse(note));
      assertEquals(expected, daemon.last(CreateNoteRequest.class).getDraft().getUserId());
      SetEntitiesOptions entities = SetEntitiesOptions.DEFAULT;
      ada.entities().set("c", List.of(), named.map(entities::withUserId).orElse(entities));
      assertEquals(expected, daemon.last(SetEntitiesRequest.class).getUserId());
      MemoryInput memory = MemoryInput.of("it");
      ada.memories()
          .createMany(List.of(MemoryInput.of("1"), named.map(memory::withUserId).orElse(memory)));
      var drafts = daemon.last(BatchCreateMemoriesRequest.class).getDraftsList();
      assertEquals("ada", drafts.get(0).getUserId());
      assertEquals(expected, drafts.get(1).getUserId());
    }
    ada.conversations().create();
    assertEquals("ada", daemon.last(CreateConversationRequest.class).getDraft().getUserId());
    ada.notes().update("n", UpdateNoteChanges.DEFAULT.withTitle("t"));
    assertEquals("", daemon.last(UpdateNoteRequest.class).getDraft().getUserId());
    ada.user("").notes().create("t", "c");
    assertEquals("", daemon.last(CreateNoteRequest.class).getDraft().getUserId());
  }

  @Test
  void itIsThatOfEntriesAndScopesUnlessAnOptionNamesAnother() {
    for (Optional<String> named : List.of(Optional.<String>empty(), named("bob"), named(""))) {
      String expected = named.orElse("ada");
      EntryOptions entry = named.map(EntryOptions.DEFAULT::withUserId).orElse(EntryOptions.DEFAULT);
      ScopeOptions scope = named.map(ScopeOptions.DEFAULT::withUserId).orElse(ScopeOptions.DEFAULT);
      ada.set("k", 1, entry);
      assertEquals(expected, daemon.last(SetEntryRequest.class).getUserId());
      ada.attach("s").set("k", 1, entry);
      assertEquals(expected, daemon.last(SetEntryRequest.class).getUserId());
      assertEquals("ada", ada.scope("task", scope).userId());
      assertEquals(expected, daemon.last(CreateScopeRequest.class).getUserId());
      ada.batch().set("k", 1, entry).remove("other").write();
      var operations = daemon.last(BatchWriteEntriesRequest.class).getOperationsList();
      assertEquals(expected, operations.get(0).getSet().getUserId());
      assertUpdated(expected, named.isPresent(), entry);
      assertReserved(expected, entry);
    }
  }

  @Test
  void itIsThatOfTheChangesOfATransaction() {
    Transaction tx = ada.transaction();
    tx.set("k", 1);
    tx.set("k", 1, EntryOptions.DEFAULT.withUserId(""));
    tx.getOrSet("k", 1);
    tx.scope("task");
    tx.attach("s").set("k", 1);
    tx.add(Write.newBuilder().setCreateNote(CreateNoteRequest.getDefaultInstance()).build());
    tx.add(Write.newBuilder().setUpdateNote(UpdateNoteRequest.getDefaultInstance()).build());
    tx.add(Write.getDefaultInstance());
    SetEntitiesRequest entities =
        SetEntitiesRequest.newBuilder().setConversationId("c").setUserId("").build();
    tx.add(Write.newBuilder().setSetEntities(entities).build());
    tx.add(
        Write.newBuilder()
            .setSetEntities(entities.toBuilder().clearUserId().setAgentId("a"))
            .build());
    try {
      tx.commit();
    } catch (io.memoryd.client.error.InternalErrorException withoutResults) {
      // The response is empty.
    }
    List<Write> writes = daemon.last(CommitRequest.class).getWritesList();
    assertEquals("ada", writes.get(0).getSetEntry().getUserId());
    assertEquals("", writes.get(1).getSetEntry().getUserId());
    assertEquals("ada", writes.get(2).getGetOrSetEntry().getUserId());
    assertEquals("ada", writes.get(3).getCreateScope().getUserId());
    assertEquals("ada", writes.get(4).getSetEntry().getUserId());
    assertEquals("ada", writes.get(5).getCreateNote().getDraft().getUserId());
    assertEquals(UpdateNoteRequest.getDefaultInstance(), writes.get(6).getUpdateNote());
    assertEquals(entities, writes.get(8).getSetEntities());
    assertEquals(entities.toBuilder().setUserId("ada").build(), writes.get(9).getSetEntities());
  }

  @Test
  void itSelectsUnlessACallSelectsUsersOrWouldForgetAllOfTheUser() {
    BatchForgetMemoriesOptions none = BatchForgetMemoriesOptions.DEFAULT;
    RecordFilter empty = RecordFilter.getDefaultInstance();
    assertForgets(empty, none);
    assertForgets(empty, none.withMemoryIds("m"));
    assertForgets(empty, none.withAllTags());
    assertForgets(
        empty.toBuilder().addAllTags("t").addUserIds("ada").build(), none.withAllTags("t"));
    assertForgets(empty.toBuilder().addUserIds("").build(), none.withUserIds(""));
    assertForgets(empty.toBuilder().setAllUsers(true).build(), none.withAllUsers());
    ada.compose();
    assertEquals(
        List.of("ada"), daemon.last(ComposeContextRequest.class).getFilter().getUserIdsList());
  }

  @Test
  void itDoesNotSelectAmongTheRecordsOfWhatACallNames() {
    ada.conversations()
        .messages("c", ListMessagesOptions.DEFAULT.withRoles(MessageRole.MESSAGE_ROLE_USER));
    RecordFilter filter = daemon.last(ListMessagesRequest.class).getFilter();
    assertEquals(0, filter.getUserIdsCount());
    assertEquals(1, filter.getMessage().getRolesCount());
    ada.memories().links(ListMemoryLinksOptions.DEFAULT.withMemoryId("m"));
    assertFalse(daemon.last(ListMemoryLinksRequest.class).hasFilter());
    ada.memories().links();
    assertEquals(1, daemon.last(ListMemoryLinksRequest.class).getFilter().getUserIdsCount());
  }

  @Test
  void itSelectsEntriesAndEventsUnlessAnOptionSelectsUsers() {
    assertEntries(List.of("ada"), false, ListOptions.DEFAULT.withKeyPrefix("k"));
    assertEntries(List.of("bob"), false, ListOptions.DEFAULT.withUserIds("bob"));
    assertEntries(List.of(), true, ListOptions.DEFAULT.withAllUsers());
    WatchOptions kinds = WatchOptions.DEFAULT.withKinds(RecordKind.RECORD_KIND_ENTRY);
    assertWatched(List.of("ada"), kinds);
    assertWatched(List.of("bob"), kinds.withUserIds("bob"));
  }

  private void assertUpdated(String expected, boolean isNamed, EntryOptions options) {
    ada.update("k", Integer.class, 0, visits -> visits + 1, options);
    SetEntryRequest updated = daemon.last(SetEntryRequest.class);
    assertEquals(expected, updated.getUserId());
    // The entry that is updated keeps its user, unless the caller names another.
    assertEquals(isNamed ? List.of("user_id") : List.of(), updated.getUpdateMask().getPathsList());
    assertTrue(updated.hasUpdateMask());
  }

  private void assertReserved(String expected, EntryOptions options) {
    daemon.answers.add(
        ReserveEntryResponse.newBuilder()
            .setOutcome(ReserveOutcome.RESERVE_OUTCOME_RESERVED)
            .setReservationToken("r")
            .build());
    ada.getOrSet("k", Integer.class, () -> 1, ReserveOptions.DEFAULT.withEntry(options));
    assertEquals(expected, daemon.last(SetEntryRequest.class).getUserId());
  }

  private void assertForgets(RecordFilter expected, BatchForgetMemoriesOptions options) {
    ada.memories().forgetMany(options);
    assertEquals(expected, daemon.last(BatchForgetMemoriesRequest.class).getFilter());
  }

  private void assertEntries(List<String> users, boolean allUsers, ListOptions options) {
    ada.entries(options);
    RecordFilter filter = daemon.last(ListEntriesRequest.class).getFilter();
    assertEquals(users, filter.getUserIdsList());
    assertEquals(allUsers, filter.getAllUsers());
  }

  private void assertWatched(List<String> users, WatchOptions options) {
    var filter = options.toMessage(ada.place()).getFilters(0);
    assertEquals(users, filter.getRecord().getUserIdsList());
    assertEquals(1, filter.getKindsCount());
  }

  private static Optional<String> named(String userId) {
    return Optional.of(userId);
  }
}
