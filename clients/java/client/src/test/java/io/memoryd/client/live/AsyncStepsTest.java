package io.memoryd.client.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.type.TypeReference;
import io.memoryd.client.Agent;
import io.memoryd.client.AsyncAgent;
import io.memoryd.client.AsyncScope;
import io.memoryd.client.Condition;
import io.memoryd.client.EntryOptions;
import io.memoryd.client.FragmentConsumer;
import io.memoryd.client.FragmentConsumerOptions;
import io.memoryd.client.MemorydClient;
import io.memoryd.client.MergeOptions;
import io.memoryd.client.ReserveOptions;
import io.memoryd.client.ScopeOptions;
import io.memoryd.client.error.DeadlineExceededException;
import io.memoryd.client.error.RevisionMismatchException;
import io.memoryd.client.error.ScopeDisposedException;
import io.memoryd.client.error.UnsupportedValueException;
import io.memoryd.client.error.WrongTypeException;
import io.memoryd.v1.ListScopesRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What takes several calls, without blocking. */
@LiveTest
class AsyncStepsTest {
  private static final TypeReference<List<String>> TEXTS = new TypeReference<>() {};

  @Test
  void noneOfManyUpdatesIsLost(Agent agent) throws Exception {
    AsyncAgent async = agent.async();
    CompletableFuture<?>[] updates =
        IntStream.range(0, 20)
            .mapToObj(n -> async.update("n", Integer.class, 0, value -> value + 1))
            .toArray(CompletableFuture<?>[]::new);
    soon(CompletableFuture.allOf(updates));
    assertEquals(20, agent.get("n", Integer.class).orElseThrow());
    EntryOptions tagged = EntryOptions.DEFAULT.withTags("x");
    assertEquals(
        List.of("a"), soon(async.update("list", TEXTS, List.of(), list -> List.of("a"), tagged)));
    assertEquals("x", agent.getEntry("list").orElseThrow().getTags(0));
  }

  @Test
  void anUpdateThatFailsSetsNothing(Agent agent) throws Exception {
    AsyncAgent async = agent.async();
    agent.set("k", "text");
    assertInstanceOf(
        WrongTypeException.class, failure(async.update("k", Integer.class, 0, n -> n + 1)));
    assertInstanceOf(
        UnsupportedValueException.class,
        failure(async.update("new", Double.class, 0.0, n -> Double.NaN)));
    IllegalStateException refused = new IllegalStateException("no");
    assertEquals(
        refused,
        failure(
            async.update(
                "k",
                String.class,
                "",
                text -> {
                  throw refused;
                })));
    assertEquals(Optional.of("text"), agent.get("k", String.class));
    assertFalse(agent.contains("new"));
  }

  @Test
  void aFactoryRunsOnceAmongAllCallers(Agent agent) throws Exception {
    AtomicInteger runs = new AtomicInteger();
    CompletableFuture<Integer> made = new CompletableFuture<>();
    List<CompletableFuture<Integer>> callers =
        IntStream.range(0, 3)
            .mapToObj(
                n ->
                    agent
                        .async()
                        .getOrSet(
                            "k",
                            Integer.class,
                            () -> {
                              runs.incrementAndGet();
                              return made;
                            }))
            .toList();
    OwnDaemon.await("one begins to make it", () -> runs.get() == 1);
    made.complete(42);
    for (CompletableFuture<Integer> caller : callers) {
      assertEquals(42, soon(caller));
    }
    assertEquals(1, runs.get());
    assertEquals(
        42,
        soon(
            agent
                .async()
                .getOrSet(
                    "k",
                    Integer.class,
                    () -> CompletableFuture.failedStage(new AssertionError()))));
  }

  @Test
  void aFactoryThatFailsLeavesTheValueToTheNextCaller(Agent agent) throws Exception {
    AsyncAgent async = agent.async();
    IllegalStateException failed = new IllegalStateException("no");
    ReserveOptions lasting = ReserveOptions.DEFAULT.withLease(Duration.ofMinutes(10));
    assertEquals(
        failed,
        failure(
            async.getOrSet(
                "k", String.class, () -> CompletableFuture.failedFuture(failed), lasting)));
    assertEquals(
        failed,
        failure(
            async.getOrSet(
                "k",
                String.class,
                () -> {
                  throw failed;
                },
                lasting)));
    assertInstanceOf(
        UnsupportedValueException.class,
        failure(
            async.getOrSet(
                "k", Double.class, () -> CompletableFuture.completedFuture(Double.NaN), lasting)));
    assertEquals(
        List.of("a"),
        soon(async.getOrSet("k", TEXTS, () -> CompletableFuture.completedFuture(List.of("a")))));
  }

  @Test
  void aGetOrSetThatIsCancelledCancelsItsFactoryAndReleasesTheKey(Agent agent) throws Exception {
    AsyncAgent async = agent.async();
    ReserveOptions lasting = ReserveOptions.DEFAULT.withLease(Duration.ofMinutes(10));
    CompletableFuture<String> making = new CompletableFuture<>();
    AtomicInteger begun = new AtomicInteger();
    CompletableFuture<String> cancelled =
        async.getOrSet(
            "k",
            String.class,
            () -> {
              begun.incrementAndGet();
              return making;
            },
            lasting);
    OwnDaemon.await("the factory runs", () -> begun.get() == 1);
    ReserveOptions impatient = lasting.withPatience(Duration.ZERO);
    assertInstanceOf(
        DeadlineExceededException.class,
        failure(
            async.getOrSet(
                "k", String.class, () -> CompletableFuture.completedFuture("other"), impatient)));
    cancelled.cancel(true);
    assertTrue(making.isCancelled());
    assertEquals(
        "next",
        soon(async.getOrSet("k", String.class, () -> CompletableFuture.completedFuture("next"))));
  }

  @Test
  void aScopeIsMergedOrDisposed(Agent agent) throws Exception {
    AsyncAgent async = agent.async();
    AsyncScope task = soon(async.scope("task"));
    soon(task.set("k", 1));
    assertEquals(1, soon(task.merge(MergeOptions.DEFAULT.withScopeKept())).getMergedEntryCount());
    soon(task.set("k", 2));
    Condition other = Condition.expectedRevision(99);
    assertInstanceOf(RevisionMismatchException.class, failure(task.dispose(other)));
    assertEquals(1, soon(task.merge()).getMergedEntryCount());
    assertEquals(2, agent.get("k", Integer.class).orElseThrow());
    assertInstanceOf(ScopeDisposedException.class, failure(task.get("k")));
    assertFalse(soon(task.dispose()).getDeleted());
    AsyncScope left = soon(async.scope("left"));
    assertTrue(soon(async.attach(left.scopeId()).dispose()).getDeleted());
    assertThrows(IllegalArgumentException.class, () -> async.attach(""));
    agent.end();
    assertFalse(soon(left.dispose()).getDeleted());
  }

  @Test
  void aScopeWithAnIdleTimeIsHeld(MemorydClient client, Agent agent) throws Exception {
    ScopeOptions options = ScopeOptions.DEFAULT.withIdleTtl(Duration.ofMillis(1_500));
    AsyncScope held = soon(agent.async().scope("held", options));
    ListScopesRequest listing =
        ListScopesRequest.newBuilder().setAgentId(agent.agentId()).build(); // is no use of a scope
    var first = client.workingMemoryService().listScopes(listing).getScopes(0).getExpireTime();
    OwnDaemon.await(
        "it is renewed",
        () ->
            !client
                .workingMemoryService()
                .listScopes(listing)
                .getScopes(0)
                .getExpireTime()
                .equals(first));
    soon(held.dispose());
  }

  @Test
  void aConsumerDeliversAgainWhatItsHandlerHasFailedToHandle(Agent agent) throws Exception {
    AtomicInteger deliveries = new AtomicInteger();
    CompletableFuture<String> handled = new CompletableFuture<>();
    FragmentConsumer consumer =
        agent
            .async()
            .fragments()
            .consumer(
                delivery ->
                    deliveries.incrementAndGet() == 1
                        ? CompletableFuture.failedFuture(new IllegalStateException("not yet"))
                        : CompletableFuture.runAsync(
                            () -> handled.complete(delivery.fragments().get(0).getContent())),
                FragmentConsumerOptions.DEFAULT.withOnError(error -> {}));
    agent.fragments().create("one");
    agent.fragments().flush();
    assertEquals("one", soon(handled));
    assertNull(soon(consumer.closeAsync()));
    assertEquals(0, agent.fragments().count().getFragmentCount());
  }

  private static <T> T soon(CompletableFuture<T> future) throws Exception {
    return future.get(60, TimeUnit.SECONDS);
  }

  private static Throwable failure(CompletableFuture<?> future) {
    return assertThrows(ExecutionException.class, () -> soon(future)).getCause();
  }
}
