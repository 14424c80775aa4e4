package io.memoryd.client.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.memoryd.client.Agent;
import io.memoryd.client.ListOptions;
import io.memoryd.client.MergeConflict;
import io.memoryd.client.Scope;
import io.memoryd.client.error.ScopeDisposedException;
import io.memoryd.v1.Entry;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

@LiveTest
class ScopeTest {
  @Test
  void readsFallBackAndWritesStayInside(Agent memory) {
    memory.set("user", "Ada");
    memory.set("visits", 3);
    try (Scope scope = memory.scope("task")) {
      scope.set("user", "Charles");
      assertEquals(Optional.of("Charles"), scope.get("user", String.class));
      assertEquals(Optional.of(3), scope.get("visits", Integer.class));
      assertEquals(Optional.empty(), scope.local().get("visits", Integer.class));
      assertTrue(scope.contains("visits"));
      assertFalse(scope.local().contains("visits"));
      assertEquals(2, scope.entries(ListOptions.DEFAULT.withInherited()).count());
      assertEquals(List.of("user"), scope.entries().map(Entry::getKey).toList());
    }
    assertEquals(Optional.of("Ada"), memory.get("user", String.class));
  }

  @Test
  void anUpdateOfAScopeLeavesTheParentsValue(Agent memory) {
    memory.set("n", 10);
    try (Scope scope = memory.scope("task")) {
      assertEquals(1, scope.update("n", Integer.class, 0, n -> n + 1));
    }
    assertEquals(Optional.of(10), memory.get("n", Integer.class));
  }

  @Test
  void aClosedScopeHasEnded(Agent memory) {
    Scope scope = memory.scope("task");
    scope.set("k", 1);
    scope.close();
    assertThrows(ScopeDisposedException.class, () -> scope.get("k"));
    assertFalse(memory.contains("k"));
    scope.close();
  }

  @Test
  void aMergedScopeLeavesItsEntriesToItsParent(Agent memory) {
    memory.set("both", "root");
    try (Scope scope = memory.scope("task")) {
      scope.set("both", "scope");
      scope.set("found", 42);
      assertEquals(2, scope.merge().getEntriesMerged());
      assertThrows(ScopeDisposedException.class, () -> scope.get("found"));
    }
    assertEquals(Optional.of("scope"), memory.get("both", String.class));
    assertEquals(Optional.of(42), memory.get("found", Integer.class));
  }

  @Test
  void aParentMayKeepItsValues(Agent memory) {
    memory.set("both", "root");
    try (Scope scope = memory.scope("task")) {
      scope.set("both", "scope");
      scope.merge(MergeConflict.KEEP_PARENT);
    }
    assertEquals(Optional.of("root"), memory.get("both", String.class));
  }

  @Test
  void anExceptionLosesWhatWasNotMerged(Agent memory) {
    assertThrows(
        IllegalStateException.class,
        () -> {
          try (Scope scope = memory.scope("task")) {
            scope.set("k", 1);
            throw new IllegalStateException("before the merge");
          }
        });
    assertFalse(memory.contains("k"));
  }

  @Test
  void anotherProcessMayAttachToAScope(Agent memory) {
    try (Scope scope = memory.scope("task")) {
      memory.attach(scope.scopeId()).set("k", 1);
      assertEquals(Optional.of(1), scope.get("k", Integer.class));
      assertEquals(1, memory.attach(scope.scopeId()).dispose().getEntriesCleared());
    }
    assertThrows(IllegalArgumentException.class, () -> memory.attach(""));
  }

  @Test
  void scopesNest(Agent memory) {
    try (Scope task = memory.scope("task");
        Scope step = task.scope("step")) {
      task.set("k", 1);
      assertEquals(Optional.of(1), step.get("k", Integer.class));
      step.set("found", 2);
      step.merge();
      assertEquals(Optional.of(2), task.get("found", Integer.class));
    }
  }

  @Test
  void aScopeIsDisposedAlsoByAnInterruptedThread(Agent memory) {
    Scope scope = memory.scope("task");
    Thread.currentThread().interrupt();
    scope.close();
    assertTrue(Thread.interrupted());
    assertThrows(ScopeDisposedException.class, () -> scope.get("k"));
  }
}
