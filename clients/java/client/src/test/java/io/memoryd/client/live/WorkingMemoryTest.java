package io.memoryd.client.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.node.NullNode;
import io.memoryd.client.Agent;
import io.memoryd.client.Batch;
import io.memoryd.client.Condition;
import io.memoryd.client.EndOptions;
import io.memoryd.client.EntryOptions;
import io.memoryd.client.Json;
import io.memoryd.client.ListOptions;
import io.memoryd.client.MemorydClient;
import io.memoryd.client.RecordCounts;
import io.memoryd.client.WorkingMemory;
import io.memoryd.client.error.AgentNotFoundException;
import io.memoryd.client.error.InvalidArgumentException;
import io.memoryd.client.error.RecordExistsException;
import io.memoryd.client.error.RecordNotFoundException;
import io.memoryd.client.error.RevisionInFutureException;
import io.memoryd.client.error.RevisionMismatchException;
import io.memoryd.client.error.WrongTypeException;
import io.memoryd.v1.BatchWriteEntriesResponse;
import io.memoryd.v1.DeleteSnapshotRequest;
import io.memoryd.v1.EndAgentResponse;
import io.memoryd.v1.Entry;
import io.memoryd.v1.EntryOperationResult;
import io.memoryd.v1.EntryType;
import io.memoryd.v1.ListOrder;
import io.memoryd.v1.RecordKind;
import io.memoryd.v1.SetEntryResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

@LiveTest
class WorkingMemoryTest {
  record Plan(String goal, List<String> steps) {}

  @Test
  void aValueComesBackAsItWasSet(Agent agent) {
    Plan plan = new Plan("tea", List.of("boil", "pour"));
    assertTrue(agent.set("plan", plan).getCreated());
    assertFalse(agent.set("plan", plan).getCreated());
    assertEquals(Optional.of(plan), agent.get("plan", Plan.class));
    assertEquals("tea", agent.get("plan").orElseThrow().get("goal").asText());
    agent.set("plans", List.of(plan));
    assertEquals(
        List.of(plan), agent.get("plans", new TypeReference<List<Plan>>() {}).orElseThrow());
  }

  @Test
  void anEmptyBatchIsNotSent(Agent agent) {
    assertEquals(0, agent.batch().write().getRevision());
  }

  @Test
  void aMissingKeyIsNotAnError(Agent agent) {
    assertEquals(Optional.empty(), agent.get("nothing", String.class));
    assertEquals(Optional.empty(), agent.getEntry("nothing"));
    assertFalse(agent.contains("nothing"));
    assertFalse(agent.remove("nothing"));
  }

  @Test
  void aJsonNullIsAnEntryWithoutAValue(Agent agent) {
    agent.set("null", null);
    assertTrue(agent.contains("null"));
    assertEquals(Optional.empty(), agent.get("null", String.class));
    assertEquals(Optional.of(NullNode.getInstance()), agent.get("null"));
  }

  @Test
  void jsonTextStaysByteForByte(Agent agent) {
    String text = "{ \"b\": 1.50, \"a\":\t1e3 }";
    agent.set("raw", new Json(text));
    assertEquals(text, agent.getEntry("raw").orElseThrow().getValueJson());
    assertEquals(Optional.of(new Json(text)), agent.get("raw", Json.class));
  }

  @Test
  void anEntryHasAllAttributesThatWereSet(Agent agent) {
    EntryOptions options =
        EntryOptions.DEFAULT
            .withTypeName("Mood")
            .withEntryType(EntryType.ENTRY_TYPE_INSIGHT)
            .withImportance(0.8)
            .withTags("user", "today")
            .withMetadata(Map.of("turn", 12))
            .withUserId("ann")
            .withTtl(Duration.ofHours(8));
    SetEntryResponse stored = agent.set("mood", "curious", options);
    Entry entry = agent.getEntry("mood").orElseThrow();
    assertEquals("curious", agent.valueOf(entry, String.class));
    assertEquals(stored.getRevision(), entry.getRevision());
    assertEquals("Mood", entry.getTypeName());
    assertEquals(EntryType.ENTRY_TYPE_INSIGHT, entry.getType());
    assertEquals(0.8, entry.getImportance());
    assertEquals(List.of("user", "today"), entry.getTagsList());
    assertEquals(12, entry.getMetadata().getFieldsOrThrow("turn").getNumberValue());
    assertEquals("ann", entry.getUserId());
    assertTrue(entry.hasExpireTime());
  }

  @Test
  void aSetReturnsTheEntryWithoutItsContent(Agent agent) {
    EntryOptions tagged = EntryOptions.DEFAULT.withImportance(0.8).withTags("user");
    Entry first = agent.set("mood", "curious", tagged).getEntry();
    assertEquals("mood", first.getKey());
    assertEquals(0.8, first.getImportance());
    assertEquals("", first.getValueJson());
    assertEquals(List.of(), first.getTagsList());
    Entry second = agent.set("mood", "calm").getEntry();
    assertEquals(first.getEntryId(), second.getEntryId());
    assertEquals(first.getRevision() + 1, second.getRevision());
  }

  @Test
  void aWrongTypeNamesItsKey(Agent agent) {
    agent.set("text", "5");
    WrongTypeException error =
        assertThrows(WrongTypeException.class, () -> agent.get("text", Integer.class));
    assertEquals("text", error.key());
  }

  @Test
  void anInvalidRequestNamesItsField(Agent agent) {
    InvalidArgumentException error =
        assertThrows(InvalidArgumentException.class, () -> agent.set(" ", 1));
    assertTrue(error.fields().containsKey("key"), () -> error.fields().toString());
  }

  @Test
  void aConditionThatIsNotMetChangesNothing(Agent agent) {
    long revision = agent.set("k", 1, Condition.mustNotExist()).getRevision();
    RecordExistsException exists =
        assertThrows(
            RecordExistsException.class, () -> agent.set("k", 2, Condition.mustNotExist()));
    assertEquals(OptionalLong.of(revision), exists.revision());
    RevisionMismatchException mismatch =
        assertThrows(
            RevisionMismatchException.class,
            () -> agent.set("k", 2, Condition.expectedRevision(revision + 5)));
    assertEquals(OptionalLong.of(revision), mismatch.actualRevision());
    Condition expected = Condition.expectedRevision(revision + 5);
    assertThrows(RevisionMismatchException.class, () -> agent.remove("k", expected));
    assertThrows(RecordExistsException.class, () -> agent.remove("k", Condition.mustNotExist()));
    assertEquals(Optional.of(1), agent.get("k", Integer.class));
    assertTrue(agent.remove("k", Condition.expectedRevision(revision)));
  }

  @Test
  void anEntryThatMustExistIsNeverCreated(Agent agent) {
    Condition present = Condition.mustExist();
    RecordNotFoundException missing =
        assertThrows(RecordNotFoundException.class, () -> agent.set("k", 1, present));
    assertEquals("ERROR_REASON_RECORD_NOT_FOUND", missing.reason());
    assertThrows(RecordNotFoundException.class, () -> agent.remove("k", present));
    assertThrows(RecordNotFoundException.class, agent.batch().remove("k", present)::write);
    assertFalse(agent.contains("k"));
    agent.set("k", 1);
    assertFalse(agent.set("k", 2, present).getCreated());
    assertTrue(agent.remove("k", present));
  }

  @Test
  void everyReadMayNeedARevision(Agent agent) {
    long revision = agent.set("k", 1).getRevision();
    WorkingMemory written = agent.withMinRevision(revision);
    assertEquals(Optional.of(1), written.get("k", Integer.class));
    assertEquals(1, written.entries().count());
    WorkingMemory future = agent.withMinRevision(revision + 1).local();
    for (Executable read : readsOf(future)) {
      assertThrows(RevisionInFutureException.class, read);
    }
    assertEquals(2, future.update("k", Integer.class, 0, n -> n + 1), "an update reads the latest");
    assertEquals(Optional.of(2), future.get("k", Integer.class));
  }

  @Test
  void everyReadMayAllowStaleness(Agent agent) {
    agent.set("k", 1);
    WorkingMemory stale = agent.withMinRevision(99).withMaxStaleness(Duration.ofMillis(1_500));
    assertEquals(Optional.of(1), stale.get("k", Integer.class), "the last of both applies");
    for (Executable read : readsOf(agent.withMaxStaleness(Duration.ofDays(2)))) {
      InvalidArgumentException refused = assertThrows(InvalidArgumentException.class, read);
      assertEquals(Set.of("consistency.max_staleness"), refused.fields().keySet());
    }
  }

  private static List<Executable> readsOf(WorkingMemory memory) {
    return List.of(
        () -> memory.get("k"),
        () -> memory.getEntry("k"),
        () -> memory.getMany(List.of("k")),
        () -> memory.contains("k"),
        memory::entries);
  }

  @Test
  void aConditionOnTheAgentThatIsNotMetChangesNothing(Agent agent) {
    assertThrows(
        AgentNotFoundException.class,
        () -> agent.end(EndOptions.DEFAULT.withCondition(Condition.mustExist())));
    long revision = agent.set("k", 1).getRevision();
    Condition other = Condition.expectedRevision(revision + 5);
    assertThrows(RevisionMismatchException.class, () -> agent.clear(other));
    assertThrows(
        RevisionMismatchException.class, () -> agent.end(EndOptions.DEFAULT.withCondition(other)));
    assertTrue(agent.contains("k"));
    assertEquals(1, agent.clear(Condition.expectedRevision(revision)).getClearedEntryCount());
    assertTrue(agent.end(EndOptions.DEFAULT.withCondition(Condition.mustExist())).getDeleted());
  }

  @Test
  void anAgentMayLeaveASnapshot(MemorydClient client, Agent agent) {
    agent.set("k", 1);
    assertFalse(agent.end().hasSnapshot());
    agent.set("k", 1);
    EndAgentResponse ended = agent.end(EndOptions.DEFAULT.withSnapshot());
    assertEquals(agent.agentId(), ended.getSnapshot().getAgentId());
    String snapshotId = ended.getSnapshot().getSnapshotId();
    client
        .snapshotService()
        .deleteSnapshot(DeleteSnapshotRequest.newBuilder().setSnapshotId(snapshotId).build());
  }

  @Test
  void noConcurrentUpdateIsLost(Agent agent) throws Exception {
    int writers = 4;
    int updates = 10;
    ExecutorService threads = Executors.newFixedThreadPool(writers);
    try {
      List<Future<?>> running =
          IntStream.range(0, writers)
              .<Future<?>>mapToObj(writer -> threads.submit(() -> count(agent, updates)))
              .toList();
      for (Future<?> ended : running) {
        ended.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertEquals(Optional.of(writers * updates), agent.get("visits", Integer.class));
  }

  private static void count(Agent agent, int updates) {
    for (int made = 0; made < updates; made++) {
      agent.update("visits", Integer.class, 0, visits -> visits + 1);
    }
  }

  @Test
  void anUpdateKeepsWhatItsOptionsDoNotGive(Agent agent) {
    EntryOptions all =
        EntryOptions.DEFAULT
            .withTtl(Duration.ofHours(1))
            .withTags("a")
            .withImportance(0.9)
            .withMetadata(Map.of("s", 1))
            .withUserId("ann")
            .withTypeName("Count")
            .withEntryType(EntryType.ENTRY_TYPE_INSIGHT);
    agent.set("n", 1, all);
    Entry before = agent.getEntry("n").orElseThrow();
    assertEquals(2, agent.update("n", Integer.class, 0, n -> n + 1));
    Entry after = agent.getEntry("n").orElseThrow();
    assertTrue(after.hasExpireTime());
    assertEquals(before.getExpireTime(), after.getExpireTime());
    assertEquals(before.getTagsList(), after.getTagsList());
    assertEquals(before.getImportance(), after.getImportance());
    assertEquals(before.getMetadata(), after.getMetadata());
    assertEquals(before.getUserId(), after.getUserId());
    assertEquals(before.getTypeName(), after.getTypeName());
    assertEquals(before.getType(), after.getType());
    EntryOptions none = EntryOptions.DEFAULT.withTags().withImportance(0).withoutExpiry();
    agent.update("n", Integer.class, 0, n -> n + 1, none);
    Entry cleared = agent.getEntry("n").orElseThrow();
    assertEquals(List.of(), cleared.getTagsList());
    assertEquals(0, cleared.getImportance());
    assertFalse(cleared.hasExpireTime());
    assertEquals("ann", cleared.getUserId());
  }

  @Test
  void anUpdateTellsAMissingValueByNull(Agent agent) {
    agent.update("n", Integer.class, null, n -> n == null ? 0 : 2);
    assertEquals(2, agent.update("n", Integer.class, null, n -> n == null ? 0 : 2));
  }

  @Test
  void aChangeThatFailsUpdatesNothing(Agent agent) {
    assertThrows(
        ArithmeticException.class, () -> agent.update("k", Integer.class, 0, value -> 1 / value));
    assertFalse(agent.contains("k"));
  }

  @Test
  void manyKeysAreReadAtOnce(Agent agent) {
    agent.set("a", 1);
    agent.set("b", 2);
    assertEquals(Map.of("a", 1, "b", 2), agent.getMany(List.of("a", "b", "none"), Integer.class));
  }

  @Test
  void entriesAreListedPageByPageInTheOrderOfTheirKeys(Agent agent) {
    int count = 1_500;
    for (int first = 0; first < count; first += 500) {
      Batch batch = agent.batch();
      IntStream.range(first, first + 500).forEach(n -> batch.set("key-%04d".formatted(n), n));
      assertEquals(500, batch.size());
      batch.write();
    }
    List<String> keys = agent.entries().map(Entry::getKey).toList();
    assertEquals(IntStream.range(0, count).mapToObj("key-%04d"::formatted).toList(), keys);
  }

  @Test
  void entriesAreFiltered(Agent agent) {
    agent.set("a-tagged", 1, EntryOptions.DEFAULT.withTags("x", "y"));
    agent.set("a-plain", 2);
    agent.set("b-tagged", 3, EntryOptions.DEFAULT.withTags("x"));
    ListOptions chosen = ListOptions.DEFAULT.withKeyPrefix("a").withAllTags("x").withoutContent();
    List<Entry> entries = agent.entries(chosen).toList();
    assertEquals(List.of("a-tagged"), entries.stream().map(Entry::getKey).toList());
    assertEquals("", entries.get(0).getValueJson());
    assertEquals(List.of(), entries.get(0).getTagsList());
  }

  @Test
  void entriesAreListedByAnyTagTypeAndUserAndInAnotherOrder(Agent agent) {
    EntryOptions ofAnn = EntryOptions.DEFAULT.withTags("x").withUserId("ann");
    agent.set("c", 1, ofAnn.withEntryType(EntryType.ENTRY_TYPE_EVENT));
    agent.set("a", 2, EntryOptions.DEFAULT.withTags("x", "y").withUserId("bob"));
    agent.set("b", 3, EntryOptions.DEFAULT.withTags("z"));
    ListOptions all = ListOptions.DEFAULT.withAllUsers();
    assertEquals(List.of("b"), keys(agent, ListOptions.DEFAULT));
    assertEquals(List.of("a", "b"), keys(agent, all.withAnyTags("y", "z")));
    assertEquals(List.of("a"), keys(agent, all.withAllTags("x", "y")));
    assertEquals(List.of("c"), keys(agent, all.withEntryTypes(EntryType.ENTRY_TYPE_EVENT)));
    assertEquals(List.of("c"), keys(agent, ListOptions.DEFAULT.withUserIds("ann")));
    assertEquals(List.of("b"), keys(agent, ListOptions.DEFAULT.withUserIds("")));
    assertEquals(
        List.of("c", "a", "b"), keys(agent, all.withOrder(ListOrder.LIST_ORDER_CREATE_TIME)));
    assertEquals(
        List.of("c", "b", "a"), keys(agent, all.withOrder(ListOrder.LIST_ORDER_ID_DESCENDING)));
  }

  private static List<String> keys(Agent agent, ListOptions options) {
    return agent.entries(options).map(Entry::getKey).toList();
  }

  @Test
  void aBatchIsWrittenAtomically(Agent agent) {
    agent.set("old", 1);
    BatchWriteEntriesResponse written = agent.batch().set("a", 1).set("b", 2).remove("old").write();
    List<EntryOperationResult> results = written.getResultsList();
    assertEquals(
        List.of(true, true, false),
        results.stream().map(EntryOperationResult::getCreated).toList());
    assertEquals(
        List.of(false, false, true),
        results.stream().map(EntryOperationResult::getDeleted).toList());
    long revision = written.getRevision();
    assertEquals(revision, agent.getEntry("a").orElseThrow().getRevision());
    assertEquals(revision, agent.getEntry("b").orElseThrow().getRevision());
    assertFalse(agent.contains("old"));
    Batch refused =
        agent.batch().set("c", 3).set("a", 9, EntryOptions.DEFAULT, Condition.mustNotExist());
    assertThrows(RecordExistsException.class, refused::write);
    assertFalse(agent.contains("c"));
  }

  @Test
  void clearingRemovesAllEntries(Agent agent) {
    agent.set("a", 1);
    agent.set("b", 2);
    assertEquals(2, agent.clear().getClearedEntryCount());
    assertEquals(0, agent.entries().count());
  }

  @Test
  void anAgentEndsWithAllItsMemory(Agent agent) {
    assertFalse(agent.end().getDeleted());
    agent.set("a", 1);
    EndAgentResponse ended = agent.end();
    assertTrue(ended.getDeleted());
    assertEquals(
        Map.of(RecordKind.RECORD_KIND_ENTRY, 1L), RecordCounts.byKind(ended.getClearedList()));
    assertFalse(agent.contains("a"));
  }
}
