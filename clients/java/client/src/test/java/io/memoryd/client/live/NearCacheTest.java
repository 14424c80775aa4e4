package io.memoryd.client.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.type.TypeReference;
import io.grpc.stub.StreamObserver;
import io.memoryd.client.Agent;
import io.memoryd.client.CreateNoteOptions;
import io.memoryd.client.EntryOptions;
import io.memoryd.client.MemorydClient;
import io.memoryd.client.NearCache;
import io.memoryd.client.NearCacheOptions;
import io.memoryd.client.NearListOptions;
import io.memoryd.client.NearMemory;
import io.memoryd.client.Scope;
import io.memoryd.client.StaleRead;
import io.memoryd.client.Transaction;
import io.memoryd.client.error.CacheFullException;
import io.memoryd.client.error.RecordNotFoundException;
import io.memoryd.client.error.ScopeDisposedException;
import io.memoryd.client.error.StaleReadException;
import io.memoryd.client.error.UnavailableException;
import io.memoryd.client.error.WrongTypeException;
import io.memoryd.v1.CreateNoteRequest;
import io.memoryd.v1.Entry;
import io.memoryd.v1.Note;
import io.memoryd.v1.NoteDraft;
import io.memoryd.v1.SetEntryRequest;
import io.memoryd.v1.SetEntryResponse;
import io.memoryd.v1.WorkingMemoryServiceGrpc;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@LiveTest
class NearCacheTest {
  record Person(String name) {}

  private static Optional<Integer> number(NearMemory memory, String key) {
    return memory.get(key, Integer.class);
  }

  private static Map<String, Integer> numbers(NearMemory memory, String... keys) {
    return memory.getMany(List.of(keys), Integer.class);
  }

  private static List<String> ids(List<Note> notes) {
    return notes.stream().map(Note::getNoteId).toList();
  }

  private static void writeNote(Agent agent, String noteId) {
    agent.notes().create("Title", "Text", CreateNoteOptions.DEFAULT.withNoteId(noteId));
  }

  @Test
  void readsAreThoseOfTheDaemonAndHaveEachWriteOfTheClient(Agent agent) {
    agent.set("before", new Person("Ada"));
    try (NearCache cache = agent.nearCache()) {
      assertEquals(Optional.of(new Person("Ada")), cache.get("before", Person.class));
      agent.set("k", 1, EntryOptions.DEFAULT.withTags("t"));
      assertEquals(agent.getEntry("k"), cache.getEntry("k"));
      assertEquals(Optional.of(1), number(cache, "k"));
      assertEquals(agent.get("k"), cache.get("k"));
      assertEquals(Optional.empty(), cache.get("none"));
      assertTrue(cache.contains("k"));
      assertFalse(cache.contains("none"));
      Transaction tx = agent.transaction();
      tx.set("k", 2);
      NoteDraft draft =
          NoteDraft.newBuilder().setNoteId("n").setTitle("Title").setContent("Text").build();
      tx.add(
          io.memoryd.v1.Write.newBuilder()
              .setCreateNote(CreateNoteRequest.newBuilder().setDraft(draft))
              .build());
      tx.commit();
      assertEquals(Map.of("k", 2), numbers(cache, "k", "none"));
      assertEquals(Optional.of(agent.notes().get("n")), cache.note("n"));
      assertEquals(List.of("n"), ids(cache.notes()));
      assertThrows(WrongTypeException.class, () -> cache.get("k", String.class));
      assertEquals(Optional.empty(), cache.note("none"));
      agent.remove("k");
      assertEquals(Optional.empty(), cache.get("k"));
      assertEquals(List.of("before"), cache.keys());
      assertEquals(agent.set("k", List.of(3)).getRevision(), cache.revision());
      assertEquals(Optional.of(List.of(3)), cache.get("k", new TypeReference<List<Integer>>() {}));
      agent.end();
      assertEquals(Optional.empty(), cache.get("before"));
      assertEquals(List.of(), cache.notes());
      assertEquals(0, cache.sizeBytes());
    }
  }

  @Test
  void theWritesOfStubsAreSeenToo(MemorydClient client, Agent agent) throws Exception {
    SetEntryRequest.Builder request =
        SetEntryRequest.newBuilder().setAgentId(agent.agentId()).setKey("k");
    try (NearCache cache = agent.nearCache()) {
      for (int turn = 0; turn < 50; turn++) {
        client.workingMemoryService().setEntry(request.setValueJson("" + 2 * turn).build());
        assertEquals(Optional.of(2 * turn), number(cache, "k"));
        CompletableFuture<Optional<Integer>> found = new CompletableFuture<>();
        WorkingMemoryServiceGrpc.newStub(client.channel())
            .setEntry(
                request.setValueJson("" + (2 * turn + 1)).build(),
                new StreamObserver<>() {
                  @Override
                  public void onNext(SetEntryResponse response) {
                    found.complete(number(cache, "k"));
                  }

                  @Override
                  public void onError(Throwable failure) {
                    found.completeExceptionally(failure);
                  }

                  @Override
                  public void onCompleted() {}
                });
        assertEquals(Optional.of(2 * turn + 1), found.get(60, TimeUnit.SECONDS));
      }
    }
  }

  @Test
  void aScopeFallsBackToItsParents(Agent agent) {
    agent.set("root", 0);
    try (NearCache cache = agent.nearCache()) {
      Scope task = agent.scope("task");
      Scope step = task.scope("step");
      task.set("task", 1);
      step.set("step", 2);
      NearMemory memory = cache.attach(step.scopeId());
      assertEquals(
          Map.of("root", 0, "task", 1, "step", 2), numbers(memory, "root", "task", "step"));
      assertEquals(Optional.empty(), memory.local().get("root"));
      assertEquals(List.of("step"), memory.keys());
      NearListOptions inherited = NearListOptions.DEFAULT.withInherited();
      assertEquals(List.of("root", "step", "task"), memory.keys(inherited));
      assertEquals(List.of("task"), memory.keys(inherited.withKeyPrefix("t")));
      step.set("root", 3);
      assertEquals(Optional.of(3), number(memory, "root"));
      assertEquals(Optional.of(0), number(cache, "root"));
      task.close();
      assertThrows(ScopeDisposedException.class, () -> memory.get("root"));
    }
  }

  @Test
  void aCacheOfAScopeHoldsItAndWhatItInherits(Agent agent) {
    agent.set("root", 0);
    Scope outer = agent.scope("outer");
    Scope beside = agent.scope("beside");
    Scope scope = outer.scope("task");
    NearCacheOptions options = NearCacheOptions.DEFAULT.withScope(scope.scopeId()).withoutNotes();
    try (NearCache cache = agent.nearCache(options)) {
      outer.set("outer", 1);
      Scope below = scope.scope("step");
      below.set("k", 2);
      long held = cache.sizeBytes();
      beside.set("k", 3);
      NearMemory memory = cache.attach(scope.scopeId());
      assertEquals(Map.of("root", 0, "outer", 1), numbers(memory, "root", "outer"));
      assertEquals(Optional.of(2), number(cache.attach(below.scopeId()), "k"));
      assertEquals(Optional.of(3), number(cache.attach(beside.scopeId()), "k"));
      assertEquals(held, cache.sizeBytes());
    }
    NearCacheOptions none = NearCacheOptions.DEFAULT.withScope("none");
    assertThrows(RecordNotFoundException.class, () -> agent.nearCache(none));
  }

  @Test
  void aCacheHoldsTheKeysWithItsPrefixAndReadsOthersFromTheDaemon(Agent agent) {
    NearCacheOptions options =
        NearCacheOptions.DEFAULT.withKeyPrefix("a:").withoutNotes().withAnyStaleness();
    try (NearCache cache = agent.nearCache(options)) {
      agent.set("a:1", 1);
      long held = cache.sizeBytes();
      assertTrue(held > 0);
      agent.set("b:1", 2);
      writeNote(agent, "n");
      assertEquals(held, cache.sizeBytes());
      assertEquals(Map.of("a:1", 1, "b:1", 2), numbers(cache, "a:1", "b:1"));
      assertEquals(Optional.of(1), number(cache, "a:1"));
      assertEquals(Optional.of(2), number(cache, "b:1"));
      Map.of("a:", List.of("a:1"), "b:", List.of("b:1"), "", List.of("a:1", "b:1"))
          .forEach(
              (prefix, keys) -> {
                NearListOptions selected = NearListOptions.DEFAULT.withKeyPrefix(prefix);
                assertEquals(keys, cache.keys(selected));
                assertEquals(keys, cache.entries(selected).stream().map(Entry::getKey).toList());
              });
      assertEquals("Title", cache.note("n").orElseThrow().getTitle());
      assertEquals(Optional.empty(), cache.note("none"));
      assertEquals(List.of("n"), ids(cache.notes()));
    }
  }

  @Test
  void whatIsListedIsAboutTheBoundUser(Agent agent) {
    Agent ada = agent.user("ada");
    try (NearCache nobodys = agent.nearCache();
        NearCache hers = ada.nearCache()) {
      NearCache closed = ada.nearCache();
      closed.close(); // asks the daemon
      writeNote(agent, "0");
      writeNote(ada, "1");
      agent.set("0", "of nobody");
      ada.set("1", "of Ada");
      List<NearCache> caches = List.of(nobodys, hers, closed);
      for (int index = 0; index < caches.size(); index++) {
        List<String> expected = List.of("" + Math.min(index, 1));
        assertEquals(expected, ids(caches.get(index).notes()));
        assertEquals(expected, caches.get(index).keys());
        assertEquals(Optional.of("of Ada"), caches.get(index).get("1", String.class));
      }
    }
  }

  @Test
  void theMemoryIsBounded(Agent agent) {
    String large = "v".repeat(10_000);
    agent.set("k", large);
    NearCacheOptions small = NearCacheOptions.DEFAULT.withMaxBytes(10_000);
    assertThrows(CacheFullException.class, () -> agent.nearCache(small));
    NearCacheOptions options = NearCacheOptions.DEFAULT.withMaxBytes(20_000);
    try (NearCache cache = agent.nearCache(options);
        NearCache refusing = agent.nearCache(options.withWhenStale(StaleRead.REFUSE))) {
      agent.set("other", large);
      assertEquals(Optional.of(large), cache.get("other", String.class));
      OwnDaemon.await(
          "it forgets its records", () -> cache.sizeBytes() == 0 && refusing.sizeBytes() == 0);
      assertEquals(Optional.of(large), cache.get("k", String.class));
      StaleReadException refused = assertThrows(StaleReadException.class, () -> refusing.get("k"));
      assertInstanceOf(CacheFullException.class, refused.getCause());
    }
  }

  @Test
  void aClosedCacheAsksTheDaemon(Agent agent) {
    NearCache cache = agent.nearCache();
    agent.set("k", 1);
    assertTrue(cache.staleness().isPresent());
    cache.close();
    agent.set("k", 2);
    assertEquals(Optional.of(2), number(cache, "k"));
    assertEquals(Optional.empty(), cache.staleness());
  }

  @Test
  void optionsThatAreNotAllowedAreRefused() {
    NearCacheOptions options = NearCacheOptions.DEFAULT;
    assertThrows(
        IllegalArgumentException.class, () -> options.withMaxStaleness(Duration.ofMillis(99)));
    assertThrows(IllegalArgumentException.class, () -> options.withMaxBytes(0));
  }

  @Test
  void writesOfOthersArriveAndTheStalenessIsBounded(Agent agent) {
    try (MemorydClient client = MemorydClient.builder().connect();
        NearCache cache =
            agent.nearCache(NearCacheOptions.DEFAULT.withMaxStaleness(Duration.ofMillis(100)))) {
      Agent other = client.agent(agent.agentId());
      other.set("k", 1);
      OwnDaemon.await(
          "it has the write of another client", () -> number(cache, "k").equals(Optional.of(1)));
      other.memories().remember("No event of the cache reports this.");
      Duration before = cache.staleness().orElseThrow();
      OwnDaemon.await(
          "it finds out how current it is",
          () -> cache.staleness().orElseThrow().compareTo(before) < 0);
    }
  }

  @Test
  void aCacheEndsWithItsClient(Agent agent) {
    MemorydClient client = MemorydClient.connect();
    NearCache cache = client.agent(agent.agentId()).nearCache();
    client.close();
    assertEquals(Optional.empty(), cache.staleness());
    cache.close();
  }

  @Test
  void withoutADaemonNoCacheIsOpened() {
    try (MemorydClient nobody =
        MemorydClient.builder()
            .address("127.0.0.1:1")
            .connectTimeout(Duration.ofMillis(100))
            .connect()) {
      assertThrows(UnavailableException.class, () -> nobody.agent("a").nearCache());
    }
  }
}
