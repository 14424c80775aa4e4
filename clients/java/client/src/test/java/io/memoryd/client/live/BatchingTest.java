package io.memoryd.client.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.memoryd.client.Agent;
import io.memoryd.client.EntryOptions;
import io.memoryd.client.MemorydClient;
import io.memoryd.client.NearCache;
import io.memoryd.client.Scope;
import io.memoryd.client.error.InvalidArgumentException;
import io.memoryd.client.error.ScopeDisposedException;
import io.memoryd.v1.Entry;
import io.memoryd.v1.SetEntryResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@LiveTest
class BatchingTest {
  private static final int THREADS = 64;

  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private MemorydClient client;

  /** What a thread does. */
  private interface Work {
    void run(int thread);
  }

  @BeforeEach
  void connect() {
    client = MemorydClient.builder().batching(Duration.ofMillis(2)).connect();
  }

  @AfterEach
  void close() {
    client.close();
    threads.shutdownNow();
  }

  private void inThreads(Work work) {
    List<CompletableFuture<Void>> running = new ArrayList<>();
    for (int index = 0; index < THREADS; index++) {
      int thread = index;
      running.add(CompletableFuture.runAsync(() -> work.run(thread), threads));
    }
    running.forEach(CompletableFuture::join);
  }

  @Test
  void eachCallHasTheResultAndTheErrorThatItHasByItself(Agent single) {
    Agent agent = client.agent(single.agentId());
    EntryOptions options =
        EntryOptions.DEFAULT.withTags("t").withTtl(Duration.ofHours(1)).withUserId("ann");
    try (Scope scope = single.scope("task");
        Scope gone = single.scope("gone")) {
      gone.dispose();
      single.set("shared", "root");
      inThreads(
          thread -> {
            String key = "k" + thread;
            for (int round = 0; round < 5; round++) {
              SetEntryResponse stored = agent.set(key, round, options);
              assertEquals(round == 0, stored.getCreated());
              assertEquals(Optional.of(round), agent.get(key, Integer.class));
              Entry found = agent.getEntry(key).orElseThrow();
              assertEquals(stored.getRevision(), found.getRevision());
              assertEquals(List.of("t"), found.getTagsList());
              assertEquals("ann", found.getUserId());
              assertTrue(found.hasExpireTime());
              assertEquals(
                  Optional.of("root"), agent.attach(scope.scopeId()).get("shared", String.class));
              assertEquals(Optional.empty(), agent.get("none" + thread));
              if (thread % 8 == 0) {
                assertThrows(InvalidArgumentException.class, () -> agent.set(" ", 1));
                assertThrows(InvalidArgumentException.class, () -> agent.get(" "));
                assertThrows(
                    ScopeDisposedException.class, () -> agent.attach(gone.scopeId()).set("k", 1));
              }
            }
            assertTrue(agent.remove(key));
            assertEquals(Optional.empty(), single.get(key));
            assertEquals(false, agent.remove(key));
          });
    }
  }

  @Test
  void writesOfOneWindowHaveOneRevision(Agent single) {
    Agent agent = client.agent(single.agentId());
    Set<Long> revisions = ConcurrentHashMap.newKeySet();
    inThreads(
        thread -> {
          for (int round = 0; round < 20; round++) {
            revisions.add(agent.set("k" + thread, round).getRevision());
          }
        });
    assertTrue(revisions.size() < 20 * THREADS, "no writes were sent together");
    assertEquals(new HashSet<>(single.entries().map(Entry::getValueJson).toList()), Set.of("19"));
  }

  @Test
  void aNearCacheHasEachWriteThatWasBatched(Agent single) {
    Agent agent = client.agent(single.agentId());
    try (NearCache cache = agent.nearCache()) {
      inThreads(
          thread -> {
            for (int round = 0; round < 20; round++) {
              agent.set("k" + thread, round);
              assertEquals(Optional.of(round), cache.get("k" + thread, Integer.class));
            }
          });
    }
  }
}
