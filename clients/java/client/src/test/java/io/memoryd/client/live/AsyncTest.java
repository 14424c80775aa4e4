package io.memoryd.client.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.type.TypeReference;
import io.memoryd.client.Agent;
import io.memoryd.client.AsyncAgent;
import io.memoryd.client.Condition;
import io.memoryd.client.CreateNoteOptions;
import io.memoryd.client.EntryOptions;
import io.memoryd.client.LeaseFragmentsOptions;
import io.memoryd.client.ListOptions;
import io.memoryd.client.Scope;
import io.memoryd.client.error.RecordExistsException;
import io.memoryd.client.error.RecordNotFoundException;
import io.memoryd.client.error.UnsupportedValueException;
import io.memoryd.client.error.WrongTypeException;
import io.memoryd.v1.Entry;
import io.memoryd.v1.Note;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@LiveTest
class AsyncTest {
  @Test
  void entriesAreWrittenAndReadWithoutBlocking(Agent agent) throws Exception {
    AsyncAgent async = agent.async();
    EntryOptions tagged = EntryOptions.DEFAULT.withTags("x");
    assertTrue(soon(async.set("a", 1)).getCreated());
    soon(async.set("b", List.of("x"), tagged));
    soon(async.set("c", 3, Condition.mustNotExist()));
    assertInstanceOf(
        RecordExistsException.class, failure(async.set("c", 4, Condition.mustNotExist())));
    assertEquals(1, soon(async.get("a")).orElseThrow().intValue());
    assertEquals(
        List.of("x"), soon(async.get("b", new TypeReference<List<String>>() {})).orElseThrow());
    assertEquals(Optional.empty(), soon(async.get("nothing", Integer.class)));
    assertEquals("x", soon(async.getEntry("b")).orElseThrow().getTags(0));
    assertEquals(Map.of("a", 1, "c", 3), soon(async.getMany(List.of("a", "c"), Integer.class)));
    assertEquals(
        List.of("b"),
        soon(async.entries(ListOptions.DEFAULT.withAllTags("x"))).stream()
            .map(Entry::getKey)
            .toList());
    assertTrue(soon(async.contains("a")));
    assertTrue(soon(async.remove("a")));
    assertInstanceOf(
        RecordNotFoundException.class, failure(async.remove("a", Condition.mustExist())));
    soon(async.clear());
    assertEquals(List.of(), soon(async.entries()));
  }

  @Test
  void valuesThatDoNotFitFailAsTheyDoOtherwise(Agent agent) throws Exception {
    AsyncAgent async = agent.async();
    assertThrows(UnsupportedValueException.class, () -> async.set("k", Double.NaN));
    soon(async.set("k", "text"));
    assertInstanceOf(WrongTypeException.class, failure(async.get("k", Integer.class)));
  }

  @Test
  void aScopeReadsAsItDoesOtherwise(Agent agent) throws Exception {
    agent.set("k", 1);
    try (Scope scope = agent.scope("task")) {
      assertEquals(1, soon(scope.async().get("k", Integer.class)).orElseThrow());
      assertEquals(Optional.empty(), soon(scope.local().async().get("k")));
    }
  }

  @Test
  void allKindsAreThereForTheBoundUser(Agent agent) throws Exception {
    AsyncAgent ada = agent.async().user("ada");
    CreateNoteOptions tagged = CreateNoteOptions.DEFAULT.withTags("t");
    Note note = soon(ada.notes().create("Tone", "Be brief.", tagged));
    assertEquals("ada", note.getUserId());
    assertEquals(note, soon(ada.notes().get(note.getNoteId())));
    assertEquals(List.of(note), soon(ada.notes().list()));
    assertEquals(List.of(), soon(agent.async().notes().list()));
    soon(ada.memories().remember("Ada drinks tea."));
    assertEquals(1, soon(ada.memories().recall("tea")).getMemoriesCount());
    assertTrue(soon(ada.plans().create("Tea")).getPlanId().length() > 0);
    assertEquals(List.of(), soon(ada.conversations().list()));
    assertEquals(List.of(), soon(ada.documents().list()));
    assertEquals(List.of(), soon(ada.entities().list()));
    assertEquals(0, soon(ada.fragments().count()).getFragmentCount());
    assertTrue(soon(ada.notes().delete(note.getNoteId())));
    assertInstanceOf(RecordNotFoundException.class, failure(ada.notes().get(note.getNoteId())));
  }

  @Test
  void allPagesAreRead(Agent agent) throws Exception {
    CompletableFuture<?>[] writes =
        IntStream.range(0, 1_001)
            .mapToObj(n -> agent.async().set(String.format("k%04d", n), n))
            .toArray(CompletableFuture<?>[]::new);
    soon(CompletableFuture.allOf(writes));
    List<Entry> entries = soon(agent.async().entries(ListOptions.DEFAULT.withoutContent()));
    assertEquals(1_001, entries.size());
    assertEquals("k1000", entries.get(1_000).getKey());
  }

  @Test
  void aFutureThatIsCancelledOrLateCancelsItsCall(Agent agent) throws Exception {
    LeaseFragmentsOptions patient =
        LeaseFragmentsOptions.DEFAULT.withWaitDuration(Duration.ofSeconds(60));
    CompletableFuture<?> cancelled = agent.async().fragments().take(patient);
    assertTrue(cancelled.cancel(true));
    CompletableFuture<?> late = agent.async().fragments().take(patient);
    late.orTimeout(1, TimeUnit.MILLISECONDS); // time: it must expire
    assertThrows(ExecutionException.class, late::get);
    agent.fragments().create("one");
    agent.fragments().flush();
    // Both calls have ended, so that the fragment is left for this one.
    assertEquals(1, agent.fragments().take(patient).getFragmentsCount());
  }

  private static <T> T soon(CompletableFuture<T> future) throws Exception {
    return future.get(60, TimeUnit.SECONDS);
  }

  private static Throwable failure(CompletableFuture<?> future) {
    return assertThrows(ExecutionException.class, () -> soon(future)).getCause();
  }
}
