package io.memoryd.client.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.type.TypeReference;
import io.memoryd.client.Agent;
import io.memoryd.client.EntryOptions;
import io.memoryd.client.MemorydClient;
import io.memoryd.client.RecordCounts;
import io.memoryd.client.Scope;
import io.memoryd.client.Watch;
import io.memoryd.client.WatchMessage;
import io.memoryd.client.WatchOptions;
import io.memoryd.client.error.CancelledException;
import io.memoryd.client.error.InvalidResumeTokenException;
import io.memoryd.client.error.RevisionInFutureException;
import io.memoryd.client.error.WrongTypeException;
import io.memoryd.v1.EntryEvent;
import io.memoryd.v1.Event;
import io.memoryd.v1.Event.SubjectCase;
import io.memoryd.v1.EventCause;
import io.memoryd.v1.EventFilter;
import io.memoryd.v1.EventType;
import io.memoryd.v1.RecordCount;
import io.memoryd.v1.RecordKind;
import io.memoryd.v1.WatchEventsRequest;
import io.memoryd.v1.WatchPhase;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

@LiveTest
class WatchTest {
  @Test
  void noCommitAfterTheBeginningIsMissed(Agent agent) {
    agent.set("before", 0);
    try (Watch watch = agent.watch()) {
      long revision = agent.set("k", 1).getRevision();
      agent.remove("k");
      List<Event> events = nextOfEntries(watch, 2);
      assertEquals(EventType.EVENT_TYPE_ENTRY_SET, events.get(0).getType());
      assertEquals(RecordKind.RECORD_KIND_ENTRY, events.get(0).getKind());
      EntryEvent set = events.get(0).getEntry();
      assertEquals("k", set.getKey());
      assertEquals(Optional.of(1), agent.valueAfter(set, Integer.class));
      assertEquals("java-tests", events.get(0).getOrigin());
      assertEquals(EventType.EVENT_TYPE_ENTRY_REMOVED, events.get(1).getType());
      assertEquals(revision + 1, events.get(1).getRevision());
      EntryEvent removed = events.get(1).getEntry();
      assertEquals("k", removed.getKey());
      assertEquals(Optional.empty(), agent.valueAfter(removed, Integer.class));
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
      List<Event> events = nextOfEntries(watch, 2);
      assertEquals("a", events.get(0).getEntry().getKey());
      assertEquals(EventCause.EVENT_CAUSE_INITIAL_STATE, events.get(0).getCause());
      assertEquals("b", events.get(1).getEntry().getKey());
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
      assertEquals("1", nextEntry(watch).getEntry().getValueJson());
      token = watch.resumeToken();
    }
    agent.set("k", 2);
    try (Watch watch = agent.watch(WatchOptions.DEFAULT.withResumeToken(token))) {
      assertEquals("2", nextEntry(watch).getEntry().getValueJson());
    }
  }

  @Test
  void aWatchMayBeginAfterARevision(Agent agent) {
    long revision = agent.set("a", 1).getRevision();
    agent.set("b", 2);
    try (Watch watch = agent.watch(WatchOptions.DEFAULT.withAfterRevision(revision))) {
      assertEquals("b", nextEntry(watch).getKey());
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
            .withoutContent();
    try (MemorydClient other =
            MemorydClient.builder().address(client.address()).origin("other").connect();
        Watch watch = agent.watch(chosen)) {
      other.agent(agent.agentId()).set("a-other", 1);
      agent.set("b", 1);
      agent.remove("b");
      agent.set("a", 1);
      EntryEvent event = nextEntry(watch);
      assertEquals("a", event.getKey());
      assertEquals("", event.getEntry().getValueJson());
      assertEquals(Optional.empty(), agent.valueAfter(event, Integer.class));
    }
  }

  @Test
  void kindsCausesAndUsersAreSelected(Agent agent) {
    WatchOptions all = WatchOptions.DEFAULT;
    EntryOptions aboutAnn = EntryOptions.DEFAULT.withUserId("ann");
    agent.set("before", 0);
    try (Watch scopes = agent.watch(all.withKinds(RecordKind.RECORD_KIND_SCOPE));
        Watch merges = agent.watch(all.withCauses(EventCause.EVENT_CAUSE_MERGE));
        Watch anns = agent.watch(all.withUserIds("ann").withKinds(RecordKind.RECORD_KIND_ENTRY))) {
      agent.set("bobs", 1, EntryOptions.DEFAULT.withUserId("bob"));
      try (Scope task = agent.scope("task")) {
        task.set("anns", 1, aboutAnn);
        task.merge();
      }
      List<Event> ofScopes = next(scopes, 2);
      assertEquals(
          List.of(SubjectCase.SCOPE, SubjectCase.SCOPE),
          ofScopes.stream().map(Event::getSubjectCase).toList());
      assertEquals(EventType.EVENT_TYPE_SCOPE_DISPOSED, ofScopes.get(1).getType());
      assertFalse(ofScopes.get(1).getScope().hasScope());
      EntryEvent merged = next(merges, 1).get(0).getEntry();
      assertEquals("anns", merged.getKey());
      assertEquals("", merged.getScopeId());
      assertEquals(
          List.of("ann", "ann"),
          next(anns, 2).stream().map(event -> event.getEntry().getEntry().getUserId()).toList());
    }
  }

  @Test
  void anEventHasTheValuesBeforeAndAfterItsChange(Agent agent) {
    try (Watch watch = agent.watch(WatchOptions.DEFAULT.withPrevious())) {
      long first = agent.set("moods", List.of("curious")).getRevision();
      long second = agent.set("moods", List.of("tired")).getRevision();
      agent.remove("moods");
      List<Event> events = nextOfEntries(watch, 3);
      assertEquals(
          List.of(0L, first, second), events.stream().map(Event::getPreviousRevision).toList());
      var moods = new TypeReference<List<String>>() {};
      assertEquals(
          List.of(Optional.empty(), Optional.of(List.of("curious")), Optional.of(List.of("tired"))),
          events.stream().map(event -> agent.valueBefore(event.getEntry(), moods)).toList());
      assertEquals(
          List.of(Optional.of(List.of("curious")), Optional.of(List.of("tired")), Optional.empty()),
          events.stream().map(event -> agent.valueAfter(event.getEntry(), moods)).toList());
      EntryEvent update = events.get(1).getEntry();
      assertThrows(WrongTypeException.class, () -> agent.valueAfter(update, Integer.class));
      assertThrows(WrongTypeException.class, () -> agent.valueBefore(update, Integer.class));
    }
  }

  @Test
  void theSubjectOfAnEventIsKnownByItsCase(Agent agent) {
    WatchOptions changes =
        WatchOptions.DEFAULT.withEventTypes(
            EventType.EVENT_TYPE_SCOPE_CREATED,
            EventType.EVENT_TYPE_ENTRY_SET,
            EventType.EVENT_TYPE_ENTRIES_CLEARED,
            EventType.EVENT_TYPE_AGENT_ENDED);
    try (Watch watch = agent.watch(changes);
        Scope task = agent.scope("task")) {
      task.set("k", 1);
      task.clear();
      agent.end();
      assertEquals(
          List.of("scope task", "entry k", "cleared 1", "ended with 1"),
          next(watch, 4).stream().map(WatchTest::described).toList());
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
      assertEquals(
          List.of("below", "here"),
          next(watch, 2).stream().map(event -> event.getEntry().getKey()).toList());
    }
  }

  @Test
  void manyAgentsAreWatchedAtOnce(MemorydClient client) {
    String first = "java-" + UUID.randomUUID();
    String second = "java-" + UUID.randomUUID();
    WatchEventsRequest request =
        WatchEventsRequest.newBuilder()
            .addFilters(
                EventFilter.newBuilder()
                    .addAgentIds(first)
                    .addAgentIds(second)
                    .addKinds(RecordKind.RECORD_KIND_ENTRY))
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

  private static EntryEvent nextEntry(Watch watch) {
    return nextOfEntries(watch, 1).get(0).getEntry();
  }

  private static List<Event> nextOfEntries(Watch watch, int count) {
    return next(watch, count, Event::hasEntry);
  }

  private static List<Event> next(Watch watch, int count) {
    return next(watch, count, event -> true);
  }

  private static List<Event> next(Watch watch, int count, Predicate<Event> isWanted) {
    List<Event> events = new ArrayList<>();
    Iterator<Event> iterator = watch.iterator();
    while (events.size() < count && iterator.hasNext()) {
      Event event = iterator.next();
      if (isWanted.test(event)) {
        events.add(event);
      }
    }
    return events;
  }

  private static String described(Event event) {
    return switch (event.getSubjectCase()) {
      case SCOPE -> "scope " + event.getScope().getName();
      case ENTRY -> "entry " + event.getEntry().getKey();
      case CLEARED ->
          "cleared " + count(event.getCleared().getClearedList(), RecordKind.RECORD_KIND_ENTRY);
      case AGENT ->
          "ended with " + count(event.getAgent().getClearedList(), RecordKind.RECORD_KIND_SCOPE);
      default -> "another subject: " + event.getSubjectCase();
    };
  }

  private static long count(List<RecordCount> counts, RecordKind kind) {
    return RecordCounts.byKind(counts).getOrDefault(kind, 0L);
  }

  private static int countRest(Watch watch) {
    int count = 0;
    Iterator<Event> events = watch.iterator();
    while (events.hasNext()) {
      events.next();
      count++;
    }
    return count;
  }
}
