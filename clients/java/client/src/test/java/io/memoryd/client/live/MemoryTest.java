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
class MemoryTest {
  record Plan(String goal, List<String> steps) {}

  @Test
  void aValueComesBackAsItWasSet(Agent memory) {
    Plan plan = new Plan("tea", List.of("boil", "pour"));
    assertFalse(memory.set("plan", plan).getIsUpdate());
    assertTrue(memory.set("plan", plan).getIsUpdate());
    assertEquals(Optional.of(plan), memory.get("plan", Plan.class));
    assertEquals("tea", memory.get("plan").orElseThrow().get("goal").asText());
    memory.set("plans", List.of(plan));
    assertEquals(
        List.of(plan), memory.get("plans", new TypeReference<List<Plan>>() {}).orElseThrow());
  }

  @Test
  void anEmptyBatchIsNotSent(Agent memory) {
    assertEquals(0, memory.batch().write().getRevision());
  }

  @Test
  void aMissingKeyIsNoError(Agent memory) {
    assertEquals(Optional.empty(), memory.get("nothing", String.class));
    assertEquals(Optional.empty(), memory.getEntry("nothing"));
    assertFalse(memory.contains("nothing"));
    assertFalse(memory.remove("nothing"));
  }

  @Test
  void aNullIsThereAndHasNoValue(Agent memory) {
    memory.set("null", null);
    assertTrue(memory.contains("null"));
    assertEquals(Optional.empty(), memory.get("null", String.class));
    assertEquals(Optional.of(NullNode.getInstance()), memory.get("null"));
  }

  @Test
  void jsonTextStaysByteForByte(Agent memory) {
    String text = "{ \"b\": 1.50, \"a\":\t1e3 }";
    memory.set("raw", new Json(text));
    assertEquals(text, memory.getEntry("raw").orElseThrow().getValueJson());
    assertEquals(Optional.of(new Json(text)), memory.get("raw", Json.class));
  }

  @Test
  void anEntryKeepsWhatIsSaidAboutIt(Agent memory) {
    EntryOptions options =
        EntryOptions.DEFAULT
            .withTypeName("Mood")
            .withMemoryType(MemoryType.MEMORY_TYPE_INSIGHT)
            .withImportance(0.8)
            .withTags("user", "today")
            .withMetadata(Map.of("turn", 12))
            .withTtl(Duration.ofHours(8));
    SetEntryResponse stored = memory.set("mood", "curious", options);
    Entry entry = memory.getEntry("mood").orElseThrow();
    assertEquals("curious", memory.valueOf(entry, String.class));
    assertEquals(stored.getRevision(), entry.getRevision());
    assertEquals("Mood", entry.getTypeName());
    assertEquals(MemoryType.MEMORY_TYPE_INSIGHT, entry.getMemoryType());
    assertEquals(0.8, entry.getImportance());
    assertEquals(List.of("user", "today"), entry.getTagsList());
    assertEquals(12, entry.getMetadata().getFieldsOrThrow("turn").getNumberValue());
    assertTrue(entry.hasExpireTime());
  }

  @Test
  void aValueOfAnotherTypeIsToldByItsKey(Agent memory) {
    memory.set("text", "5");
    WrongTypeException error =
        assertThrows(WrongTypeException.class, () -> memory.get("text", Integer.class));
    assertEquals("text", error.key());
  }

  @Test
  void whatIsWrongWithARequestIsToldByItsField(Agent memory) {
    InvalidArgumentException error =
        assertThrows(InvalidArgumentException.class, () -> memory.set(" ", 1));
    assertTrue(error.fields().containsKey("key"), () -> error.fields().toString());
  }

  @Test
  void aConditionThatDoesNotHoldChangesNothing(Agent memory) {
    long revision = memory.set("k", 1, Condition.mustNotExist()).getRevision();
    EntryExistsException exists =
        assertThrows(
            EntryExistsException.class, () -> memory.set("k", 2, Condition.mustNotExist()));
    assertEquals(OptionalLong.of(revision), exists.revision());
    RevisionMismatchException mismatch =
        assertThrows(
            RevisionMismatchException.class,
            () -> memory.set("k", 2, Condition.expectedRevision(revision + 5)));
    assertEquals(OptionalLong.of(revision), mismatch.actualRevision());
    assertThrows(RevisionMismatchException.class, () -> memory.remove("k", revision + 5));
    assertEquals(Optional.of(1), memory.get("k", Integer.class));
    assertTrue(memory.remove("k", revision));
  }

  @Test
  void nobodysUpdateIsLost(Agent memory) throws Exception {
    int writers = 4;
    int updates = 10;
    ExecutorService threads = Executors.newFixedThreadPool(writers);
    try {
      List<Future<?>> running =
          IntStream.range(0, writers)
              .<Future<?>>mapToObj(writer -> threads.submit(() -> count(memory, updates)))
              .toList();
      for (Future<?> ended : running) {
        ended.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertEquals(Optional.of(writers * updates), memory.get("visits", Integer.class));
  }

  private static void count(Agent memory, int updates) {
    for (int made = 0; made < updates; made++) {
      memory.update("visits", Integer.class, 0, visits -> visits + 1);
    }
  }

  @Test
  void aChangeThatFailsUpdatesNothing(Agent memory) {
    assertThrows(
        ArithmeticException.class, () -> memory.update("k", Integer.class, 0, value -> 1 / value));
    assertFalse(memory.contains("k"));
  }

  @Test
  void manyKeysAreReadAtOnce(Agent memory) {
    memory.set("a", 1);
    memory.set("b", 2);
    assertEquals(Map.of("a", 1, "b", 2), memory.getMany(List.of("a", "b", "none"), Integer.class));
  }

  @Test
  void entriesAreListedPageByPageInTheOrderOfTheirKeys(Agent memory) {
    int count = 1_500;
    for (int first = 0; first < count; first += 500) {
      Batch batch = memory.batch();
      IntStream.range(first, first + 500).forEach(n -> batch.set("key-%04d".formatted(n), n));
      assertEquals(500, batch.size());
      batch.write();
    }
    List<String> keys = memory.entries().map(Entry::getKey).toList();
    assertEquals(IntStream.range(0, count).mapToObj("key-%04d"::formatted).toList(), keys);
  }

  @Test
  void entriesAreChosen(Agent memory) {
    memory.set("a-tagged", 1, EntryOptions.DEFAULT.withTags("x", "y"));
    memory.set("a-plain", 2);
    memory.set("b-tagged", 3, EntryOptions.DEFAULT.withTags("x"));
    ListOptions chosen = ListOptions.DEFAULT.withKeyPrefix("a").withTags("x").withoutValues();
    List<Entry> entries = memory.entries(chosen).toList();
    assertEquals(List.of("a-tagged"), entries.stream().map(Entry::getKey).toList());
    assertEquals("", entries.get(0).getValueJson());
  }

  @Test
  void aBatchHappensTogetherOrNotAtAll(Agent memory) {
    memory.set("old", 1);
    long revision = memory.batch().set("a", 1).set("b", 2).remove("old").write().getRevision();
    assertEquals(revision, memory.getEntry("a").orElseThrow().getRevision());
    assertEquals(revision, memory.getEntry("b").orElseThrow().getRevision());
    assertFalse(memory.contains("old"));
    Batch refused =
        memory.batch().set("c", 3).set("a", 9, EntryOptions.DEFAULT, Condition.mustNotExist());
    assertThrows(EntryExistsException.class, refused::write);
    assertFalse(memory.contains("c"));
  }

  @Test
  void clearingRemovesAllEntries(Agent memory) {
    memory.set("a", 1);
    memory.set("b", 2);
    assertEquals(2, memory.clear().getEntriesCleared());
    assertEquals(0, memory.entries().count());
  }

  @Test
  void anAgentEndsWithAllItsMemory(Agent memory) {
    memory.set("a", 1);
    assertEquals(1, memory.end().getEntriesCleared());
    assertFalse(memory.contains("a"));
  }
}
