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
import io.memoryd.client.EntryOptions;
import io.memoryd.client.Json;
import io.memoryd.client.ListOptions;
import io.memoryd.client.error.EntryExistsException;
import io.memoryd.client.error.InvalidArgumentException;
import io.memoryd.client.error.RevisionMismatchException;
import io.memoryd.client.error.WrongTypeException;
import io.memoryd.v1.Entry;
import io.memoryd.v1.MemoryType;
import io.memoryd.v1.SetEntryResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@LiveTest
class WorkingMemoryTest {
  record Plan(String goal, List<String> steps) {}

  @Test
  void aValueComesBackAsItWasSet(Agent agent) {
    Plan plan = new Plan("tea", List.of("boil", "pour"));
    assertFalse(agent.set("plan", plan).getIsUpdate());
    assertTrue(agent.set("plan", plan).getIsUpdate());
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
            .withMemoryType(MemoryType.MEMORY_TYPE_INSIGHT)
            .withImportance(0.8)
            .withTags("user", "today")
            .withMetadata(Map.of("turn", 12))
            .withTtl(Duration.ofHours(8));
    SetEntryResponse stored = agent.set("mood", "curious", options);
    Entry entry = agent.getEntry("mood").orElseThrow();
    assertEquals("curious", agent.valueOf(entry, String.class));
    assertEquals(stored.getRevision(), entry.getRevision());
    assertEquals("Mood", entry.getTypeName());
    assertEquals(MemoryType.MEMORY_TYPE_INSIGHT, entry.getMemoryType());
    assertEquals(0.8, entry.getImportance());
    assertEquals(List.of("user", "today"), entry.getTagsList());
    assertEquals(12, entry.getMetadata().getFieldsOrThrow("turn").getNumberValue());
    assertTrue(entry.hasExpireTime());
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
    EntryExistsException exists =
        assertThrows(EntryExistsException.class, () -> agent.set("k", 2, Condition.mustNotExist()));
    assertEquals(OptionalLong.of(revision), exists.revision());
    RevisionMismatchException mismatch =
        assertThrows(
            RevisionMismatchException.class,
            () -> agent.set("k", 2, Condition.expectedRevision(revision + 5)));
    assertEquals(OptionalLong.of(revision), mismatch.actualRevision());
    assertThrows(RevisionMismatchException.class, () -> agent.remove("k", revision + 5));
    assertEquals(Optional.of(1), agent.get("k", Integer.class));
    assertTrue(agent.remove("k", revision));
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
    ListOptions chosen = ListOptions.DEFAULT.withKeyPrefix("a").withTags("x").withoutValues();
    List<Entry> entries = agent.entries(chosen).toList();
    assertEquals(List.of("a-tagged"), entries.stream().map(Entry::getKey).toList());
    assertEquals("", entries.get(0).getValueJson());
  }

  @Test
  void aBatchIsWrittenAtomically(Agent agent) {
    agent.set("old", 1);
    long revision = agent.batch().set("a", 1).set("b", 2).remove("old").write().getRevision();
    assertEquals(revision, agent.getEntry("a").orElseThrow().getRevision());
    assertEquals(revision, agent.getEntry("b").orElseThrow().getRevision());
    assertFalse(agent.contains("old"));
    Batch refused =
        agent.batch().set("c", 3).set("a", 9, EntryOptions.DEFAULT, Condition.mustNotExist());
    assertThrows(EntryExistsException.class, refused::write);
    assertFalse(agent.contains("c"));
  }

  @Test
  void clearingRemovesAllEntries(Agent agent) {
    agent.set("a", 1);
    agent.set("b", 2);
    assertEquals(2, agent.clear().getEntriesCleared());
    assertEquals(0, agent.entries().count());
  }

  @Test
  void anAgentEndsWithAllItsMemory(Agent agent) {
    agent.set("a", 1);
    assertEquals(1, agent.end().getEntriesCleared());
    assertFalse(agent.contains("a"));
  }
}
