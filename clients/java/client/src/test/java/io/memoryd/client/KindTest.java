package io.memoryd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Duration;
import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Timestamp;
import com.google.protobuf.Value;
import io.grpc.Status;
import io.memoryd.client.error.InvalidArgumentException;
import io.memoryd.client.error.UnsupportedValueException;
import io.memoryd.v1.AcknowledgeFragmentsRequest;
import io.memoryd.v1.CompactMessagesRequest;
import io.memoryd.v1.Consistency;
import io.memoryd.v1.CreateDocumentRequest;
import io.memoryd.v1.CreateMemoryRequest;
import io.memoryd.v1.CreateNoteRequest;
import io.memoryd.v1.DeleteNoteRequest;
import io.memoryd.v1.Embedding;
import io.memoryd.v1.ListNotesRequest;
import io.memoryd.v1.ListNotesResponse;
import io.memoryd.v1.MemoryCondition;
import io.memoryd.v1.MemoryDraft;
import io.memoryd.v1.MemoryType;
import io.memoryd.v1.MetadataCondition;
import io.memoryd.v1.Note;
import io.memoryd.v1.NoteCondition;
import io.memoryd.v1.NoteDraft;
import io.memoryd.v1.Precondition;
import io.memoryd.v1.RecallMemoriesRequest;
import io.memoryd.v1.RecordFilter;
import io.memoryd.v1.RecordView;
import io.memoryd.v1.UpdateMemoryRequest;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

@Timeout(30)
class KindTest {
  private RecordingDaemon daemon;
  private Agent agent;

  @BeforeEach
  void start() throws IOException {
    daemon = new RecordingDaemon();
    agent = daemon.agent();
  }

  @AfterEach
  void stop() {
    daemon.close();
  }

  @Test
  void argumentsAndOptionsAreFieldsOfTheRequestOrOfItsDraft() {
    agent
        .notes()
        .create(
            "Ada",
            "lives in Lisbon",
            CreateNoteOptions.DEFAULT
                .withTags("people")
                .withImportance(0.8)
                .withAgentCondition(Condition.mustExist())
                .withRequestId("r"));
    NoteDraft draft =
        NoteDraft.newBuilder()
            .setTitle("Ada")
            .setContent("lives in Lisbon")
            .addTags("people")
            .setImportance(0.8)
            .build();
    CreateNoteRequest expected =
        CreateNoteRequest.newBuilder()
            .setAgentId("a")
            .setDraft(draft)
            .setAgentPrecondition(Precondition.newBuilder().setMustExist(true))
            .setRequestId("r")
            .build();
    assertEquals(expected, daemon.last(CreateNoteRequest.class));
  }

  @Test
  void conditionsAreFieldsOfTheFilterOrOfItsConditionsOnAKind() {
    agent
        .memories()
        .recall(
            "Where?",
            RecallMemoriesOptions.DEFAULT
                .withLimit(3)
                .withAllTags("a")
                .withAllTags(List.of("b"))
                .withMetadata(MetadataConditionInput.of("tier").withEquals("gold"))
                .withNoneOf(
                    RecordFilterInput.DEFAULT.withNote(
                        NoteConditionInput.DEFAULT.withNotebooks("work")))
                .withTypes(MemoryType.MEMORY_TYPE_SEMANTIC)
                .withMinImportance(0.7)
                .withMinRevision(5)
                .withoutContent());
    RecordFilter filter =
        RecordFilter.newBuilder()
            .addAllTags("a")
            .addAllTags("b")
            .addMetadata(
                MetadataCondition.newBuilder()
                    .setPath("tier")
                    .setEquals(Value.newBuilder().setStringValue("gold")))
            .addNoneOf(
                RecordFilter.newBuilder().setNote(NoteCondition.newBuilder().addNotebooks("work")))
            .setMemory(
                MemoryCondition.newBuilder()
                    .addTypes(MemoryType.MEMORY_TYPE_SEMANTIC)
                    .setMinImportance(0.7))
            .build();
    RecallMemoriesRequest expected =
        RecallMemoriesRequest.newBuilder()
            .setAgentId("a")
            .setQuery("Where?")
            .setLimit(3)
            .setFilter(filter)
            .setConsistency(Consistency.newBuilder().setMinRevision(5))
            .setView(RecordView.RECORD_VIEW_WITHOUT_CONTENT)
            .build();
    assertEquals(expected, daemon.last(RecallMemoriesRequest.class));
  }

  @Test
  void valuesAreThoseOfJava() {
    agent
        .memories()
        .remember(
            "it",
            CreateMemoryOptions.DEFAULT
                .withTtl(java.time.Duration.ofMillis(1_500))
                .withOccurTime(Instant.ofEpochSecond(3, 4))
                .withMetadata(Map.of("turns", List.of(1, "two")))
                .withEmbedding(EmbeddingInput.of(0.5f, 1)));
    Value turns =
        Value.newBuilder()
            .setListValue(
                ListValue.newBuilder()
                    .addValues(Value.newBuilder().setNumberValue(1))
                    .addValues(Value.newBuilder().setStringValue("two")))
            .build();
    MemoryDraft expected =
        MemoryDraft.newBuilder()
            .setContent("it")
            .setTtl(Duration.newBuilder().setSeconds(1).setNanos(500_000_000))
            .setOccurTime(Timestamp.newBuilder().setSeconds(3).setNanos(4))
            .setMetadata(Struct.newBuilder().putFields("turns", turns))
            .setEmbedding(Embedding.newBuilder().addVector(0.5f).addVector(1))
            .build();
    assertEquals(expected, daemon.last(CreateMemoryRequest.class).getDraft());
    agent.documents().create(CreateDocumentOptions.DEFAULT.withData(new byte[] {1, 2}));
    assertEquals(2, daemon.last(CreateDocumentRequest.class).getData().byteAt(1));
    agent
        .conversations()
        .compact("c", 10, CompactMessagesOptions.DEFAULT.withDropOldest().withKeepLast(2));
    assertTrue(daemon.last(CompactMessagesRequest.class).hasDropOldest());
  }

  @Test
  void aConditionOnMetadataIsAnyJsonValue() {
    MetadataConditionInput place = MetadataConditionInput.of("p");
    var options =
        ListNotesOptions.DEFAULT
            .withMetadata(place.withEquals(null))
            .withMetadata(place.withAnyOf(1, null), place.withAnyOf(Arrays.asList(1, null)))
            .withMetadata(place.withExists(false));
    agent.notes().list(options).toList();
    List<MetadataCondition> found =
        daemon.last(ListNotesRequest.class).getFilter().getMetadataList();
    assertEquals(NullValue.NULL_VALUE, found.get(0).getEquals().getNullValue());
    assertEquals(2, found.get(1).getAnyOf().getValuesCount());
    assertEquals(found.get(1), found.get(2));
    assertTrue(found.get(3).hasExists());
    for (Object unsupported : List.of(Double.NaN, new Object())) {
      assertThrows(UnsupportedValueException.class, () -> place.withEquals(unsupported));
    }
    assertThrows(NullPointerException.class, () -> CreateNoteOptions.DEFAULT.withMetadata(null));
  }

  @Test
  void anUpdateNamesWhatItChanges() {
    UpdateMemoryChanges none = UpdateMemoryChanges.DEFAULT;
    MemoryDraft empty = MemoryDraft.getDefaultInstance();
    assertUpdate(List.of(), empty, none);
    assertUpdate(
        List.of("content"), empty.toBuilder().setContent("it").build(), none.withContent("it"));
    assertUpdate(List.of("content", "tags"), empty, none.withTags().withContent(""));
    assertUpdate(
        List.of("importance"), empty.toBuilder().setImportance(0).build(), none.withImportance(0));
    assertUpdate(
        List.of("expire_time"),
        empty.toBuilder().setTtl(Duration.newBuilder().setSeconds(1)).build(),
        none.withTtl(java.time.Duration.ofSeconds(1)));
    assertUpdate(List.of("expire_time"), empty, none.withoutExpireTime());
    assertUpdate(List.of("embedding"), empty, none.withoutEmbedding());
  }

  @Test
  void alternativesExcludeEachOther() {
    Instant time = Instant.now().plusSeconds(60);
    java.time.Duration ttl = java.time.Duration.ofMinutes(1);
    assertRefused(
        () -> CreateMemoryOptions.DEFAULT.withTtl(ttl).withExpireTime(time),
        () -> UpdateMemoryChanges.DEFAULT.withExpireTime(time).withTtl(ttl),
        () -> MessagePartInput.DEFAULT.withText("Hello").withFile(MessageFileInput.of("file:///")),
        () -> CompactMessagesOptions.DEFAULT.withDropOldest().withSummarize(),
        () -> GetNoteOptions.DEFAULT.withMinRevision(1).withMaxStaleness(ttl),
        () -> MetadataConditionInput.of("p").withEquals(1).withExists(true),
        () -> ListNotesOptions.DEFAULT.withUserIds("ada").withAllUsers(),
        () -> ListNotesOptions.DEFAULT.withAllUsers().withUserIds("ada"),
        () ->
            RecordFilterInput.DEFAULT
                .withNote(NoteConditionInput.DEFAULT)
                .withPlan(PlanConditionInput.DEFAULT));
    // The last of the same applies.
    assertEquals(
        CreateNoteOptions.DEFAULT.withNoteId("b").given(),
        CreateNoteOptions.DEFAULT.withNoteId("a").withNoteId("b").given());
  }

  @Test
  void aListThatWouldSelectAllIsRefused() {
    BatchForgetMemoriesOptions options = BatchForgetMemoriesOptions.DEFAULT;
    assertRefused(
        options::withMemoryIds,
        () -> options.withMemoryIds(List.of()),
        options::withUserIds,
        options::withAnyOf,
        () -> options.withTypes(List.of()),
        RecordFilterInput.DEFAULT::withIds,
        MemoryConditionInput.DEFAULT::withProjectIds,
        AcknowledgeFragmentsOptions.DEFAULT::withFragmentIds);
    // All that such a list names must hold.
    options.withAllTags().withMetadata().withNoneOf();
    agent
        .fragments()
        .acknowledge("l", AcknowledgeFragmentsOptions.DEFAULT.withFragmentIds("f", "g"));
    assertEquals(2, daemon.last(AcknowledgeFragmentsRequest.class).getFragmentIdsCount());
  }

  @Test
  void aConditionIsGivenOnce() {
    assertRefused(
        () -> ListNotesOptions.DEFAULT.withAnyTags("a").withAnyTags("b"),
        () -> ListNotesOptions.DEFAULT.withMinImportance(0.1).withMinImportance(0.2));
  }

  @Test
  void aTextStandsForWhatRequiresNothingElse() {
    assertEquals(
        CreatePlanOptions.DEFAULT
            .withSteps(PlanStepInput.of("boil"), PlanStepInput.of("pour"))
            .given()
            .message(),
        CreatePlanOptions.DEFAULT.withSteps("boil", "pour").given().message());
    assertEquals(
        ContextSectionInput.DEFAULT.withText(TextSourceInput.of("Hi")).given(),
        ContextSectionInput.DEFAULT.withText("Hi").given());
  }

  @Test
  void erasingReturnsTheReceipt() {
    agent.notes().erase("n");
    assertTrue(daemon.last(DeleteNoteRequest.class).getErase());
    agent.fragments().acknowledgeAndErase("l");
    assertTrue(daemon.last(AcknowledgeFragmentsRequest.class).getErase());
    assertFalse(agent.notes().delete("n"));
    assertFalse(daemon.last(DeleteNoteRequest.class).getErase());
  }

  @Test
  void aListingReadsItsPagesAsTheyAreNeeded() {
    daemon.answers.add(page("next", "1", "2"));
    daemon.answers.add(page("", "3"));
    var notes = agent.notes().list(ListNotesOptions.DEFAULT.withAnyTags("t")).iterator();
    assertEquals("1", notes.next().getTitle());
    assertEquals(1, daemon.requests().size());
    assertEquals("2", notes.next().getTitle());
    assertEquals("3", notes.next().getTitle());
    assertFalse(notes.hasNext());
    ListNotesRequest first = (ListNotesRequest) daemon.requests().get(0);
    assertEquals(1_000, first.getPageSize());
    assertEquals(
        first.toBuilder().setPageToken("next").build(), daemon.last(ListNotesRequest.class));
  }

  @Test
  void anErrorIsOneOfTheClient() {
    for (Executable call :
        List.<Executable>of(() -> agent.notes().get("n"), () -> agent.notes().list())) {
      daemon.answers.add(Status.INVALID_ARGUMENT.asRuntimeException());
      assertThrows(InvalidArgumentException.class, call);
    }
  }

  @Test
  void aCallHasItsTimeoutOrThatOfTheClientAndItsWait() {
    agent.notes().get("n");
    assertTimeout(10);
    agent.notes().get("n", GetNoteOptions.DEFAULT.withTimeout(java.time.Duration.ofSeconds(60)));
    assertTimeout(60);
    LeaseFragmentsOptions waiting =
        LeaseFragmentsOptions.DEFAULT.withWaitDuration(java.time.Duration.ofSeconds(20));
    agent.fragments().take(waiting);
    assertTimeout(30);
    assertRefused(() -> GetNoteOptions.DEFAULT.withTimeout(java.time.Duration.ZERO));
  }

  private void assertUpdate(List<String> paths, MemoryDraft draft, UpdateMemoryChanges changes) {
    agent.user("ada").memories().update("m", changes);
    UpdateMemoryRequest request = daemon.last(UpdateMemoryRequest.class);
    assertEquals(paths, request.getUpdateMask().getPathsList());
    assertEquals(draft, request.getDraft());
  }

  private void assertTimeout(int seconds) {
    long left = daemon.deadline().timeRemaining(TimeUnit.SECONDS);
    assertTrue(left <= seconds && left > seconds - 9, left + " s are left");
  }

  private static void assertRefused(Executable... refused) {
    for (Executable each : refused) {
      assertThrows(IllegalArgumentException.class, each);
    }
  }

  private static ListNotesResponse page(String next, String... titles) {
    ListNotesResponse.Builder page = ListNotesResponse.newBuilder().setNextPageToken(next);
    for (String each : titles) {
      page.addNotes(Note.newBuilder().setTitle(each));
    }
    return page.build();
  }
}
