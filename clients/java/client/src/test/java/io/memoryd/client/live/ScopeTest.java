package io.memoryd.client.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Timestamp;
import io.memoryd.client.Agent;
import io.memoryd.client.Condition;
import io.memoryd.client.ListOptions;
import io.memoryd.client.MemorydClient;
import io.memoryd.client.MergeConflict;
import io.memoryd.client.MergeOptions;
import io.memoryd.client.Scope;
import io.memoryd.client.ScopeOptions;
import io.memoryd.client.Transaction;
import io.memoryd.client.Written;
import io.memoryd.client.error.RecordExistsException;
import io.memoryd.client.error.RecordNotFoundException;
import io.memoryd.client.error.RevisionMismatchException;
import io.memoryd.client.error.ScopeDisposedException;
import io.memoryd.v1.Entry;
import io.memoryd.v1.GetScopeRequest;
import io.memoryd.v1.ListScopesRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

@LiveTest
class ScopeTest {
  @Test
  void readsFallBackAndWritesStayInside(Agent agent) {
    agent.set("user", "Ada");
    agent.set("visits", 3);
    try (Scope scope = agent.scope("task")) {
      scope.set("user", "Charles");
      assertEquals(Optional.of("Charles"), scope.get("user", String.class));
      assertEquals(Optional.of(3), scope.get("visits", Integer.class));
      assertEquals(Optional.empty(), scope.local().get("visits", Integer.class));
      assertTrue(scope.contains("visits"));
      assertFalse(scope.local().contains("visits"));
      assertEquals(2, scope.entries(ListOptions.DEFAULT.withInherited()).count());
      assertEquals(List.of("user"), scope.entries().map(Entry::getKey).toList());
    }
    assertEquals(Optional.of("Ada"), agent.get("user", String.class));
  }

  @Test
  void anUpdateInAScopeLeavesTheParentsValue(Agent agent) {
    agent.set("n", 10);
    try (Scope scope = agent.scope("task")) {
      assertEquals(1, scope.update("n", Integer.class, 0, n -> n + 1));
    }
    assertEquals(Optional.of(10), agent.get("n", Integer.class));
  }

  @Test
  void aClosedScopeHasEnded(Agent agent) {
    Scope scope = agent.scope("task");
    scope.set("k", 1);
    scope.close();
    assertThrows(ScopeDisposedException.class, () -> scope.get("k"));
    assertFalse(agent.contains("k"));
    scope.close();
  }

  @Test
  void aMergeCopiesTheEntriesToTheParent(Agent agent) {
    agent.set("both", "root");
    try (Scope scope = agent.scope("task")) {
      scope.set("both", "scope");
      scope.set("found", 42);
      assertEquals(2, scope.merge().getMergedEntryCount());
      assertThrows(ScopeDisposedException.class, () -> scope.get("found"));
    }
    assertEquals(Optional.of("scope"), agent.get("both", String.class));
    assertEquals(Optional.of(42), agent.get("found", Integer.class));
  }

  @Test
  void aMergeThatKeepsTheScopeOnlyCopies(Agent agent) {
    Scope scope = agent.scope("task");
    scope.set("k", 1);
    assertEquals(1, scope.merge(MergeOptions.DEFAULT.withScopeKept()).getMergedEntryCount());
    scope.set("k", 2);
    assertEquals(Optional.of(1), agent.get("k", Integer.class));
    Transaction tx = agent.transaction();
    tx.attach(scope.scopeId()).merge(MergeOptions.DEFAULT.withScopeKept());
    tx.commit();
    assertEquals(Optional.of(2), agent.get("k", Integer.class));
    assertTrue(scope.contains("k"));
    scope.close(); // the merges have not ended it
    assertThrows(ScopeDisposedException.class, () -> scope.get("k"));
  }

  @Test
  void aParentMayKeepItsValues(Agent agent) {
    agent.set("both", "root");
    try (Scope scope = agent.scope("task")) {
      scope.set("both", "scope");
      scope.merge(MergeConflict.KEEP_PARENT);
    }
    assertEquals(Optional.of("root"), agent.get("both", String.class));
  }

  @Test
  void anExceptionDiscardsEntriesThatWereNotMerged(Agent agent) {
    assertThrows(
        IllegalStateException.class,
        () -> {
          try (Scope scope = agent.scope("task")) {
            scope.set("k", 1);
            throw new IllegalStateException("before the merge");
          }
        });
    assertFalse(agent.contains("k"));
  }

  @Test
  void anotherProcessMayAttachToAScope(Agent agent) {
    try (Scope scope = agent.scope("task")) {
      agent.attach(scope.scopeId()).set("k", 1);
      assertEquals(Optional.of(1), scope.get("k", Integer.class));
      assertEquals(1, agent.attach(scope.scopeId()).dispose().getClearedEntryCount());
    }
    assertThrows(IllegalArgumentException.class, () -> agent.attach(""));
  }

  @Test
  void aScopeHasTheUserItIsAboutAndItsCounts(MemorydClient client, Agent agent) {
    try (Scope scope = agent.scope("task", ScopeOptions.DEFAULT.withUserId("ann"))) {
      scope.set("k", 1);
      GetScopeRequest request =
          GetScopeRequest.newBuilder()
              .setAgentId(agent.agentId())
              .setScopeId(scope.scopeId())
              .build();
      var info = client.workingMemoryService().getScope(request).getScope();
      assertEquals("ann", info.getUserId());
      assertEquals(1, info.getEntryCount());
      assertEquals(1, info.getRevision());
    }
  }

  @Test
  void aScopeWithAnIdleTimeIsUsedForAsLongAsItIsHeld(MemorydClient client, Agent agent) {
    ListScopesRequest listing =
        ListScopesRequest.newBuilder().setAgentId(agent.agentId()).build(); // is no use of a scope
    Function<Scope, Optional<Timestamp>> expiry =
        scope ->
            client.workingMemoryService().listScopes(listing).getScopesList().stream()
                .filter(listed -> listed.getScopeId().equals(scope.scopeId()))
                .map(io.memoryd.v1.Scope::getExpireTime)
                .findAny();
    ScopeOptions options = ScopeOptions.DEFAULT.withIdleTtl(Duration.ofMillis(1_500));
    Transaction tx = agent.transaction();
    Written<Scope> made = tx.scope("not held", options);
    tx.commit();
    try (Scope held = agent.scope("held", options)) {
      Optional<Timestamp> first = expiry.apply(held);
      assertTrue(first.isPresent());
      OwnDaemon.await("the other one expires", () -> expiry.apply(made.result()).isEmpty());
      OwnDaemon.await("it is renewed", () -> !expiry.apply(held).equals(first));
      assertTrue(expiry.apply(held).isPresent());
    }
  }

  @Test
  void aNameThatMustBeNewIsRefusedTheSecondTime(Agent agent) {
    ScopeOptions options = ScopeOptions.DEFAULT.withCondition(Condition.mustNotExist());
    try (Scope scope = agent.scope("task", options)) {
      assertThrows(RecordExistsException.class, () -> agent.scope("task", options));
      scope.scope("task", options).close(); // under another parent
    }
  }

  @Test
  void aNameThatMustExistIsRefusedTheFirstTime(Agent agent) {
    ScopeOptions options = ScopeOptions.DEFAULT.withCondition(Condition.mustExist());
    assertThrows(RecordNotFoundException.class, () -> agent.scope("task", options));
    agent.scope("task");
    agent.scope("task", options); // another one of this name
  }

  @Test
  void aConditionOnTheAgentThatIsNotMetKeepsTheScope(Agent agent) {
    Scope scope = agent.scope("task");
    long revision = scope.set("k", 1).getRevision();
    Condition other = Condition.expectedRevision(revision + 5);
    assertThrows(
        RevisionMismatchException.class, () -> scope.merge(MergeConflict.OVERWRITE, other));
    assertThrows(RevisionMismatchException.class, () -> scope.dispose(other));
    assertTrue(scope.contains("k"));
    Condition current = Condition.expectedRevision(revision);
    assertEquals(1, scope.merge(MergeConflict.OVERWRITE, current).getMergedEntryCount());
    Scope next = agent.scope("task");
    assertTrue(next.dispose(Condition.mustExist()).getDeleted());
  }

  @Test
  void scopesNest(Agent agent) {
    try (Scope task = agent.scope("task");
        Scope step = task.scope("step")) {
      task.set("k", 1);
      assertEquals(Optional.of(1), step.get("k", Integer.class));
      step.set("found", 2);
      step.merge();
      assertEquals(Optional.of(2), task.get("found", Integer.class));
    }
  }

  @Test
  void aScopeThatEndedWithItsAgentIsClosedWithoutAnError(Agent agent) {
    Scope scope = agent.scope("task");
    agent.end();
    assertFalse(agent.attach(scope.scopeId()).dispose().getDeleted());
    scope.close();
  }

  @Test
  void aScopeIsDisposedAlsoByAnInterruptedThread(Agent agent) {
    Scope scope = agent.scope("task");
    Thread.currentThread().interrupt();
    scope.close();
    assertTrue(Thread.interrupted());
    assertThrows(ScopeDisposedException.class, () -> scope.get("k"));
  }
}
