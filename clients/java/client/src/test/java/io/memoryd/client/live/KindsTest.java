package io.memoryd.client.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.memoryd.client.AcknowledgeFragmentsOptions;
import io.memoryd.client.AddEntitiesOptions;
import io.memoryd.client.AddPlanStepOptions;
import io.memoryd.client.Agent;
import io.memoryd.client.ClearEntitiesOptions;
import io.memoryd.client.CompactMessagesOptions;
import io.memoryd.client.CompactionKeepImportantInput;
import io.memoryd.client.CompletePlanOptions;
import io.memoryd.client.ComposeContextOptions;
import io.memoryd.client.Condition;
import io.memoryd.client.ContextSectionInput;
import io.memoryd.client.Conversations;
import io.memoryd.client.CreateConversationOptions;
import io.memoryd.client.CreateDocumentOptions;
import io.memoryd.client.CreateFragmentOptions;
import io.memoryd.client.CreateNoteOptions;
import io.memoryd.client.CreatePlanOptions;
import io.memoryd.client.DeleteConversationOptions;
import io.memoryd.client.Documents;
import io.memoryd.client.Entities;
import io.memoryd.client.EntityInput;
import io.memoryd.client.EntriesSourceInput;
import io.memoryd.client.EntryConditionInput;
import io.memoryd.client.ExtractEntitiesOptions;
import io.memoryd.client.Fragments;
import io.memoryd.client.GetMessageOptions;
import io.memoryd.client.GetPlanOptions;
import io.memoryd.client.LeaseFragmentsOptions;
import io.memoryd.client.ListDocumentChunksOptions;
import io.memoryd.client.ListMessagesOptions;
import io.memoryd.client.ListNotesOptions;
import io.memoryd.client.MessageInput;
import io.memoryd.client.MessagePartInput;
import io.memoryd.client.MessageToolCallInput;
import io.memoryd.client.Notes;
import io.memoryd.client.NotesSourceInput;
import io.memoryd.client.Plans;
import io.memoryd.client.RecordFilterInput;
import io.memoryd.client.SearchDocumentsOptions;
import io.memoryd.client.TruncateMessagesOptions;
import io.memoryd.client.UpdateConversationChanges;
import io.memoryd.client.UpdateDocumentChanges;
import io.memoryd.client.UpdateDocumentOptions;
import io.memoryd.client.UpdateNoteChanges;
import io.memoryd.client.UpdateNoteOptions;
import io.memoryd.client.UpdatePlanStepChanges;
import io.memoryd.client.UpdatePlanStepOptions;
import io.memoryd.client.error.RecordExistsException;
import io.memoryd.client.error.RecordNotFoundException;
import io.memoryd.client.error.RevisionMismatchException;
import io.memoryd.v1.Conversation;
import io.memoryd.v1.Entity;
import io.memoryd.v1.LeaseFragmentsResponse;
import io.memoryd.v1.Message;
import io.memoryd.v1.MessageRole;
import io.memoryd.v1.Note;
import io.memoryd.v1.Plan;
import io.memoryd.v1.PlanStep;
import io.memoryd.v1.PlanStepStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@LiveTest
class KindsTest {
  @Test
  void aNoteIsCreatedChangedListedAndDeleted(Agent agent) {
    Notes notes = agent.notes();
    Note note =
        notes.create(
            "Ada",
            "lives in Lisbon",
            CreateNoteOptions.DEFAULT.withTags("people").withImportance(0.8));
    String id = note.getNoteId();
    assertEquals("lives in Lisbon", notes.get(id).getContent());
    Note changed = notes.update(id, UpdateNoteChanges.DEFAULT.withContent("lives in Oslo"));
    assertEquals("Ada", changed.getTitle());
    assertEquals("lives in Oslo", changed.getContent());
    assertEquals(List.of("people"), changed.getTagsList());
    ListNotesOptions people = ListNotesOptions.DEFAULT.withAllTags("people").withMinImportance(0.7);
    assertEquals(List.of("Ada"), titles(notes.list(people)));
    assertEquals(List.of(), titles(notes.list(people.withNotebooks("work"))));
    assertTrue(notes.delete(id));
    assertFalse(notes.delete(id));
    assertThrows(RecordNotFoundException.class, () -> notes.get(id));
  }

  @Test
  void erasingReturnsTheReceipt(Agent agent) {
    Note note = agent.notes().create("Ada", "a secret");
    assertTrue(agent.notes().erase(note.getNoteId()).getErasedCount() > 0);
  }

  @Test
  void aConditionRefusesAChangeOfARecordThatHasChanged(Agent agent) {
    Notes notes = agent.notes();
    CreateNoteOptions named = CreateNoteOptions.DEFAULT.withNoteId("n");
    Note note = notes.create("a", "1", named);
    UpdateNoteOptions unchanged =
        UpdateNoteOptions.DEFAULT.withCondition(Condition.expectedRevision(note.getRevision()));
    UpdateNoteOptions elsewhere =
        UpdateNoteOptions.DEFAULT.withAgentCondition(Condition.expectedRevision(1));
    notes.update("n", UpdateNoteChanges.DEFAULT.withContent("2"), unchanged);
    for (UpdateNoteOptions refused : List.of(unchanged, elsewhere)) {
      assertThrows(
          RevisionMismatchException.class,
          () -> notes.update("n", UpdateNoteChanges.DEFAULT.withContent("3"), refused));
    }
    assertThrows(RecordExistsException.class, () -> notes.create("a", "1", named));
  }

  @Test
  void aPlanHasStepsOfWhichOneIsCompleted(Agent agent) {
    Plans plans = agent.plans();
    Plan plan =
        plans.create(
            "Move to Oslo",
            CreatePlanOptions.DEFAULT.withConversationId("c").withSteps("find a flat", "pack"));
    plans.updateStep(
        plan.getSteps(0).getStepId(),
        UpdatePlanStepChanges.DEFAULT.withStatus(PlanStepStatus.PLAN_STEP_STATUS_COMPLETED),
        UpdatePlanStepOptions.DEFAULT.withConversationId("c"));
    plans.addStep(
        "travel",
        AddPlanStepOptions.DEFAULT
            .withConversationId("c")
            .withBeforeStepId(plan.getSteps(1).getStepId()));
    plan = plans.get(GetPlanOptions.DEFAULT.withConversationId("c"));
    assertEquals(
        List.of("find a flat", "travel", "pack"),
        plan.getStepsList().stream().map(PlanStep::getDescription).toList());
    assertEquals(
        plan.getPlanId(),
        plans.complete(CompletePlanOptions.DEFAULT.withConversationId("c")).getPlanId());
    assertEquals(1, plans.list().count());
  }

  @Test
  void messagesAreAppendedReadAndCutOff(Agent agent) {
    Conversations conversations = agent.conversations();
    var appended =
        conversations.append(
            "c",
            List.of(
                MessageInput.of(MessageRole.MESSAGE_ROLE_USER).withContent("Hello"),
                MessageInput.of(MessageRole.MESSAGE_ROLE_ASSISTANT)
                    .withParts(
                        MessagePartInput.DEFAULT.withText("Hi"),
                        MessagePartInput.DEFAULT.withToolCall(
                            MessageToolCallInput.of("1", "clock")))));
    assertEquals(1, appended.getFirstNumber());
    Message message = conversations.message("c", GetMessageOptions.DEFAULT.withNumber(2));
    assertEquals("Hi", message.getParts(0).getText());
    assertEquals("clock", message.getParts(1).getToolCall().getName());
    var cut = conversations.truncate("c", TruncateMessagesOptions.DEFAULT.withFromNumber(2));
    assertEquals(1, cut.getDeletedMessageCount());
    ListMessagesOptions users =
        ListMessagesOptions.DEFAULT.withRoles(MessageRole.MESSAGE_ROLE_USER);
    assertEquals(
        List.of("Hello"), conversations.messages("c", users).map(Message::getContent).toList());
    CompactMessagesOptions options = CompactMessagesOptions.DEFAULT;
    conversations.compact("c", 10, options.withDropOldest());
    conversations.compact(
        "c",
        10,
        options.withKeepImportant(CompactionKeepImportantInput.DEFAULT.withMinImportance(0.9)));
  }

  @Test
  void aConversationOfAUserIsCreatedChangedListedAndDeleted(Agent agent) {
    Conversations conversations = agent.user("ada").conversations();
    conversations.create(
        CreateConversationOptions.DEFAULT.withConversationId("c").withTitle("Boats"));
    conversations.update("c", UpdateConversationChanges.DEFAULT.withTitle("Ships"));
    List<Conversation> listed = conversations.list().toList();
    assertEquals(1, listed.size());
    assertEquals("Ships", listed.get(0).getTitle());
    assertEquals("ada", listed.get(0).getUserId());
    var deleted = conversations.delete("c", DeleteConversationOptions.DEFAULT.withErase());
    assertTrue(deleted.hasReceipt());
  }

  @Test
  void aDocumentIsSearchedInChunks(Agent agent) {
    Documents documents = agent.documents();
    CreateDocumentOptions boats =
        CreateDocumentOptions.DEFAULT
            .withTitle("Boats")
            .withText("A boat floats.\n\nA car drives.");
    String id = documents.create(boats).getDocumentId();
    var found = documents.search("What floats?", SearchDocumentsOptions.DEFAULT.withLimit(1));
    assertEquals(id, found.getChunks(0).getChunk().getDocumentId());
    documents.update(
        id,
        UpdateDocumentChanges.DEFAULT.withTitle("Ships"),
        UpdateDocumentOptions.DEFAULT.withText("A ship floats."));
    assertEquals("Ships", documents.get(id).getTitle());
    ListDocumentChunksOptions bare = ListDocumentChunksOptions.DEFAULT.withoutContent();
    assertEquals(List.of(""), documents.chunks(id, bare).map(each -> each.getText()).toList());
    assertEquals(1, documents.list().count());
    assertTrue(documents.chunk(id, 1).getText().contains("ship"));
    assertTrue(documents.delete(id));
  }

  @Test
  void fragmentsAreConsumedWithALease(Agent agent) {
    Fragments fragments = agent.fragments();
    fragments.create(
        "heard something",
        CreateFragmentOptions.DEFAULT
            .withType("speech")
            .withTtl(Duration.ofMinutes(1))
            .withSources(List.of(Map.of("name", "ear"))));
    assertEquals(1, fragments.flush());
    LeaseFragmentsOptions lease =
        LeaseFragmentsOptions.DEFAULT
            .withLimit(10)
            .withLeaseDuration(Duration.ofSeconds(30))
            .withWaitDuration(Duration.ofSeconds(1));
    LeaseFragmentsResponse taken = fragments.take(lease);
    assertEquals("heard something", taken.getFragments(0).getContent());
    assertEquals(
        1,
        fragments.acknowledge(
            taken.getLeaseToken(),
            AcknowledgeFragmentsOptions.DEFAULT.withFragmentIds(
                taken.getFragments(0).getFragmentId())));
    assertEquals(0, fragments.count().getFragmentCount());
  }

  @Test
  void entitiesAreKeptInTheWindowOfTheirConversation(Agent agent) {
    Entities entities = agent.entities();
    EntityInput page =
        EntityInput.of("p1", "page", "Home")
            .withLastAccessTime(Instant.ofEpochSecond(1_700_000_000));
    entities.add("c", List.of(page), AddEntitiesOptions.DEFAULT.withWindowSize(3));
    Map<String, ?> result = Map.of("page", Map.of("id", "p2", "name", "About"));
    entities.extract("c", "get_page", ExtractEntitiesOptions.DEFAULT.withResult(result));
    List<Entity> found = entities.get("c").getEntitiesList();
    assertTrue(found.stream().anyMatch(each -> each.getEntityId().equals("p1")), found::toString);
    entities.clear(ClearEntitiesOptions.DEFAULT.withConversationId("c"));
  }

  @Test
  void aContextIsComposedOfSections(Agent agent) {
    agent.set("city", "Oslo");
    agent.notes().create("Tone", "Be brief.");
    EntryConditionInput cities = EntryConditionInput.DEFAULT.withKeyPrefixes("c");
    var composed =
        agent.compose(
            ComposeContextOptions.DEFAULT
                .withMaxTokens(2_000)
                .withSections(
                    ContextSectionInput.DEFAULT.withText("You are an assistant."),
                    ContextSectionInput.DEFAULT.withNotes(NotesSourceInput.DEFAULT),
                    ContextSectionInput.DEFAULT.withEntries(
                        EntriesSourceInput.DEFAULT.withFilter(
                            RecordFilterInput.DEFAULT.withEntry(cities)))));
    StringBuilder text = new StringBuilder();
    composed.getMessagesList().forEach(each -> text.append(each.getContent()));
    assertTrue(text.toString().matches("(?s).*an assistant.*Be brief.*city.*"), text::toString);
  }

  private static List<String> titles(Stream<Note> notes) {
    return notes.map(Note::getTitle).toList();
  }
}
