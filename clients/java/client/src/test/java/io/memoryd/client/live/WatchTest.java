package io.memoryd.client.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.memoryd.client.Agent;
import io.memoryd.client.MemorydClient;
import io.memoryd.client.Scope;
import io.memoryd.client.Watch;
import io.memoryd.client.WatchMessage;
import io.memoryd.client.WatchOptions;
import io.memoryd.client.error.CancelledException;
import io.memoryd.client.error.InvalidResumeTokenException;
import io.memoryd.client.error.RevisionInFutureException;
import io.memoryd.v1.Event;
import io.memoryd.v1.EventCause;
import io.memoryd.v1.EventFilter;
import io.memoryd.v1.EventType;
import io.memoryd.v1.WatchEventsRequest;
import io.memoryd.v1.WatchPhase;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@LiveTest
class WatchTest {
  @Test
  void noCommitAfterTheBeginningIsMissed(Agent agent) {
    agent.set("before", 0);
    try (Watch watch = agent.watch()) {
      long revision = agent.set("k", 1).getRevision();
      agent.remove("k");
      List<Event> events = next(watch, 2);
      assertEquals(EventType.EVENT_TYPE_ENTRY_SET, events.get(0).getType());
      assertEquals("1", events.get(0).getEntry().getValueJson());
      assertEquals("java-tests", events.get(0).getOrigin());
      assertEquals(EventType.EVENT_TYPE_ENTRY_REMOVED, events.get(1).getType());
      assertEquals(revision + 1, events.get(1).getRevision());
      assertEquals(revision + 1, watch.revision());
      assertEquals(0, watch.resumes());
    }
  }

  @Test
  void theInitialStateComesFirst(Agent agent) {
    agent.set("a", 1);
    try (Watch watch = agent.watch(WatchOptions.DEFAULT.withInitialState())) {
      assertFalse(watch.initialStateComplete());
      agent.set("b", 2);
      List<Event> events = next(watch, 2);
      assertEquals("a", events.get(0).getKey());
      assertEquals(EventCause.EVENT_CAUSE_INITIAL_STATE, events.get(0).getCause());
      assertEquals("b", events.get(1).getKey());
      assertEquals(EventCause.EVENT_CAUSE_REQUEST, events.get(1).getCause());
      assertTrue(watch.initialStateComplete());
    }
  }

  @Test
  void messagesHavePhases(Agent agent) {
    agent.set("a", 1);
    List<WatchPhase> phases = new ArrayList<>();
    try (Watch watch = agent.watch(WatchOptions.DEFAULT.withInitialState())) {
      for (WatchMessage message : watch.messages()) {
        phases.add(assertInstanceOf(WatchMessage.Received.class, message).response().getPhase());
        if (watch.initialStateComplete()) {
          break;
        }
      }
    }
    assertEquals(
        List.of(
            WatchPhase.WATCH_PHASE_OPENED,
            WatchPhase.WATCH_PHASE_INITIAL_STATE,
            WatchPhase.WATCH_PHASE_INITIAL_STATE_COMPLETE),
        phases);
  }

  @Test
  void aWatchContinuesFromATokenWithNoGapAndNoDuplicate(Agent agent) {
    String token;
    try (Watch watch = agent.watch()) {
      agent.set("k", 1);
      assertEquals("1", next(watch, 1).get(0).getEntry().getValueJson());
      token = watch.resumeToken();
    }
    agent.set("k", 2);
    try (Watch watch = agent.watch(WatchOptions.DEFAULT.withResumeToken(token))) {
      assertEquals("2", next(watch, 1).get(0).getEntry().getValueJson());
    }
  }

  @Test
  void aWatchMayBeginAfterARevision(Agent agent) {
    long revision = agent.set("a", 1).getRevision();
    agent.set("b", 2);
    try (Watch watch = agent.watch(WatchOptions.DEFAULT.withAfterRevision(revision))) {
      assertEquals("b", next(watch, 1).get(0).getKey());
    }
    WatchOptions future = WatchOptions.DEFAULT.withAfterRevision(revision + 100);
    assertThrows(RevisionInFutureException.class, () -> agent.watch(future));
  }

  @Test
  void eventsAreFiltered(MemorydClient client, Agent agent) {
    WatchOptions chosen =
        WatchOptions.DEFAULT
            .withKeyPrefix("a")
            .withEventTypes(EventType.EVENT_TYPE_ENTRY_SET)
            .withExcludeOrigin("other")
            .withoutValues();
    try (MemorydClient other =
            MemorydClient.builder().address(client.address()).origin("other").connect();
        Watch watch = agent.watch(chosen)) {
      other.agent(agent.agentId()).set("a-other", 1);
      agent.set("b", 1);
      agent.remove("b");
      agent.set("a", 1);
      Event event = next(watch, 1).get(0);
      assertEquals("a", event.getKey());
      assertEquals("", event.getEntry().getValueJson());
    }
  }

  @Test
  void aScopeIsWatchedWithThoseBelowIt(Agent agent) {
    WatchOptions sets = WatchOptions.DEFAULT.withEventTypes(EventType.EVENT_TYPE_ENTRY_SET);
    try (Scope task = agent.scope("task");
        Watch watch = task.watch(sets);
        Scope step = task.scope("step")) {
      agent.set("root", 1);
      step.set("below", 1);
      task.set("here", 1);
      assertEquals(List.of("below", "here"), next(watch, 2).stream().map(Event::getKey).toList());
    }
  }

  @Test
  void manyAgentsAreWatchedAtOnce(MemorydClient client) {
    String first = "java-" + UUID.randomUUID();
    String second = "java-" + UUID.randomUUID();
    WatchEventsRequest request =
        WatchEventsRequest.newBuilder()
            .addFilters(EventFilter.newBuilder().addAgentIds(first).addAgentIds(second))
            .build();
    try (Watch watch = client.watch(request)) {
      client.agent(second).set("k", 1);
      client.agent(first).set("k", 1);
      assertEquals(List.of(second, first), next(watch, 2).stream().map(Event::getAgentId).toList());
    }
  }

  @Test
  void closingEndsAWatchThatAnotherThreadWaitsFor(Agent agent) throws Exception {
    Watch watch = agent.watch();
    CompletableFuture<Integer> heard = CompletableFuture.supplyAsync(() -> countRest(watch));
    watch.close();
    assertEquals(0, heard.get(10, TimeUnit.SECONDS));
  }

  @Test
  void closingTheClientCancelsAWatch(MemorydClient client, Agent agent) {
    Watch watch = agent.watch();
    CompletableFuture<Integer> heard = CompletableFuture.supplyAsync(() -> countRest(watch));
    client.close();
    ExecutionException failed =
        assertThrows(ExecutionException.class, () -> heard.get(10, TimeUnit.SECONDS));
    assertInstanceOf(CancelledException.class, failed.getCause());
  }

  @Test
  void anInterruptEndsAWatch(Agent agent) {
    try (Watch watch = agent.watch()) {
      Iterator<Event> events = watch.iterator();
      Thread.currentThread().interrupt();
      assertThrows(CancelledException.class, events::hasNext);
      assertTrue(Thread.interrupted());
      assertFalse(events.hasNext());
    }
  }

  @Test
  void aDamagedTokenIsRefused(Agent agent) {
    WatchOptions damaged = WatchOptions.DEFAULT.withResumeToken("no token");
    assertThrows(InvalidResumeTokenException.class, () -> agent.watch(damaged));
  }

  private static List<Event> next(Watch watch, int count) {
    List<Event> events = new ArrayList<>();
    Iterator<Event> iterator = watch.iterator();
    while (events.size() < count && iterator.hasNext()) {
      events.add(iterator.next());
    }
    return events;
  }

  private static int countRest(Watch watch) {
    int count = 0;
    for (Event event : watch) {
      count += event.getKey().isEmpty() ? 0 : 1;
    }
    return count;
  }
}
