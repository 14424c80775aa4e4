package io.memoryd.client.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.memoryd.client.Agent;
import io.memoryd.client.CommitOptions;
import io.memoryd.client.Condition;
import io.memoryd.client.MemorydClient;
import io.memoryd.client.MergeConflict;
import io.memoryd.client.Scope;
import io.memoryd.client.Transaction;
import io.memoryd.client.Written;
import io.memoryd.client.error.RecordExistsException;
import io.memoryd.client.error.RevisionMismatchException;
import io.memoryd.client.error.ScopeDisposedException;
import io.memoryd.v1.CreateNoteRequest;
import io.memoryd.v1.Entry;
import io.memoryd.v1.GetOrSetEntryResponse;
import io.memoryd.v1.ListNotesRequest;
import io.memoryd.v1.MergeScopeResponse;
import io.memoryd.v1.Note;
import io.memoryd.v1.NoteDraft;
import io.memoryd.v1.SetEntryResponse;
import io.memoryd.v1.Write;
import io.memoryd.v1.WriteResult;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@LiveTest
class TransactionTest {
  private static final Write CREATE_NOTE =
      Write.newBuilder()
          .setCreateNote(
              CreateNoteRequest.newBuilder()
                  .setDraft(NoteDraft.newBuilder().setTitle("Ada").setContent("in Lisbon")))
          .build();

  @Test
  void changesOfAllKindsAreMadeAtOneRevision(Agent agent, MemorydClient client) {
    Scope task = agent.scope("task");
    task.set("found", 42);
    Transaction tx = agent.transaction();
    Written<SetEntryResponse> stored = tx.set("done", true);
    Written<GetOrSetEntryResponse> given = tx.getOrSet("mood", "curious");
    Written<GetOrSetEntryResponse> kept = tx.getOrSet("done", false);
    Written<Boolean> removed = tx.remove("nothing");
    Written<MergeScopeResponse> merged = tx.attach(task.scopeId()).merge(MergeConflict.OVERWRITE);
    Written<Scope> scope = tx.scope("next");
    Written<WriteResult> note = tx.add(CREATE_NOTE);
    long revision = tx.commit();
    assertTrue(stored.result().getCreated());
    assertTrue(given.result().getCreated());
    assertFalse(kept.result().getCreated());
    assertFalse(removed.result());
    assertEquals(1, merged.result().getMergedEntryCount());
    Note created = note.result().getCreateNote().getNote();
    assertEquals(revision, created.getRevision());
    assertEquals("", created.getContent());
    assertEquals(Optional.of(true), agent.get("done", Boolean.class));
    assertEquals(Optional.of("curious"), agent.get("mood", String.class));
    assertEquals(Optional.of(42), agent.get("found", Integer.class));
    scope.result().set("k", 1);
    assertEquals(
        List.of(created.getNoteId()), notes(agent, client).stream().map(Note::getNoteId).toList());
    assertThrows(ScopeDisposedException.class, () -> task.get("found"));
  }

  @Test
  void aRefusedChangeRefusesAllAndIsNamed(Agent agent, MemorydClient client) {
    agent.set("k", 1);
    Transaction tx = agent.transaction();
    tx.add(CREATE_NOTE);
    tx.set("k", 2, Condition.mustNotExist());
    RecordExistsException refused = assertThrows(RecordExistsException.class, tx::commit);
    assertEquals(OptionalInt.of(1), refused.writeIndex());
    assertEquals(Optional.of(1), agent.get("k", Integer.class));
    assertEquals(List.of(), notes(agent, client));
  }

  @Test
  void aTransactionIsRepeatedByItsRequestId(Agent agent, MemorydClient client) {
    for (int attempt = 0; attempt < 2; attempt++) {
      Transaction tx = agent.transaction();
      Written<WriteResult> note = tx.add(CREATE_NOTE);
      assertEquals(1, tx.commit(CommitOptions.DEFAULT.withRequestId("r")));
      assertEquals(
          List.of(note.result().getCreateNote().getNote().getNoteId()),
          notes(agent, client).stream().map(Note::getNoteId).toList());
    }
  }

  @Test
  void aConditionIsAboutTheAgent(Agent agent) {
    Condition unchanged = Condition.expectedRevision(agent.set("k", 1).getRevision());
    CommitOptions options = CommitOptions.DEFAULT.withCondition(unchanged);
    Transaction first = agent.transaction();
    first.set("k", 2);
    first.commit(options);
    Transaction second = agent.transaction();
    second.set("k", 3);
    assertThrows(RevisionMismatchException.class, () -> second.commit(options));
    assertEquals(Optional.of(2), agent.get("k", Integer.class));
  }

  @Test
  void transactionsOfSeveralWritersLoseNothing(Agent agent, MemorydClient client) {
    List<CompletableFuture<Void>> writers =
        IntStream.range(0, 10)
            .mapToObj(writer -> CompletableFuture.runAsync(() -> increment(agent)))
            .toList();
    writers.forEach(CompletableFuture::join);
    assertEquals(Optional.of(10), agent.get("n", Integer.class));
    assertEquals(10, notes(agent, client).size());
  }

  private static void increment(Agent agent) {
    while (true) {
      Optional<Entry> entry = agent.getEntry("n");
      int count = entry.map(found -> agent.valueOf(found, Integer.class)).orElse(0);
      long revision = entry.map(Entry::getRevision).orElse(0L);
      Transaction tx = agent.transaction();
      tx.set("n", count + 1, Condition.expectedRevision(revision));
      tx.add(CREATE_NOTE);
      try {
        tx.commit();
        return;
      } catch (RevisionMismatchException faster) {
        // Another writer came first: try again.
      }
    }
  }

  private static List<Note> notes(Agent agent, MemorydClient client) {
    ListNotesRequest request = ListNotesRequest.newBuilder().setAgentId(agent.agentId()).build();
    return client.noteService().listNotes(request).getNotesList();
  }
}
