package io.memoryd.client.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.memoryd.client.Agent;
import io.memoryd.client.ComposeContextOptions;
import io.memoryd.client.ContextSectionInput;
import io.memoryd.client.ListNotesOptions;
import io.memoryd.client.MemoryInput;
import io.memoryd.client.MessageInput;
import io.memoryd.client.NotesSourceInput;
import io.memoryd.client.Scope;
import io.memoryd.client.Transaction;
import io.memoryd.client.Watch;
import io.memoryd.client.WatchOptions;
import io.memoryd.v1.Entry;
import io.memoryd.v1.MessageRole;
import io.memoryd.v1.Note;
import io.memoryd.v1.RecordKind;
import java.util.List;
import org.junit.jupiter.api.Test;

@LiveTest
class UserTest {
  @Test
  void itsEntriesAreListedAlone(Agent agent) {
    Agent ada = agent.user("ada");
    ada.set("color", "red");
    ada.batch().set("size", 3).write();
    Transaction tx = ada.transaction();
    tx.set("shape", "round");
    tx.commit();
    assertEquals(List.of("color", "shape", "size"), ada.entries().map(Entry::getKey).toList());
    assertEquals(0, agent.entries().count());
    assertEquals(1, ada.update("visits", Integer.class, 0, visits -> visits + 1));
    assertEquals("ada", agent.getEntry("visits").orElseThrow().getUserId());
    agent.user("bob").update("visits", Integer.class, 0, visits -> visits + 1);
    assertEquals("ada", agent.getEntry("visits").orElseThrow().getUserId());
  }

  @Test
  void itsRecordsAreListedAlone(Agent agent) {
    Agent ada = agent.user("ada");
    ada.notes().create("Ada's", "note");
    agent.notes().create("nobody's", "note");
    ListNotesOptions all = ListNotesOptions.DEFAULT;
    assertEquals(List.of("Ada's"), titles(ada, all));
    assertEquals(List.of("Ada's", "nobody's"), titles(ada, all.withAllUsers()));
    assertEquals(List.of("nobody's"), titles(ada, all.withUserIds("")));
    ada.memories()
        .createMany(
            List.of(
                MemoryInput.of("Ada likes tea."),
                MemoryInput.of("Bob likes beer.").withUserId("bob")));
    var recalled = ada.memories().recall("Who likes what?");
    assertEquals(1, recalled.getMemoriesCount());
    assertEquals("ada", recalled.getMemories(0).getMemory().getUserId());
    var composed =
        ada.compose(
            ComposeContextOptions.DEFAULT.withSections(
                ContextSectionInput.DEFAULT.withNotes(NotesSourceInput.DEFAULT)));
    String text = composed.getMessages(0).getContent();
    assertTrue(text.contains("Ada's"), text);
    assertFalse(text.contains("nobody's"), text);
    ada.conversations()
        .append("c", List.of(MessageInput.of(MessageRole.MESSAGE_ROLE_USER).withContent("Hello")));
    assertEquals(1, ada.conversations().messages("c").count());
  }

  @Test
  void itIsThatOfAScopeAndOfAWatch(Agent agent) {
    Agent ada = agent.user("ada");
    WatchOptions entries = WatchOptions.DEFAULT.withKinds(RecordKind.RECORD_KIND_ENTRY);
    try (Watch watch = ada.watch(entries);
        Scope task = ada.scope("task")) {
      agent.set("nobody's", 1);
      task.set("Ada's", 1);
      assertEquals("Ada's", watch.iterator().next().getEntry().getKey());
      assertEquals("once", task.getOrSet("made", String.class, () -> "once"));
      assertEquals("ada", task.getEntry("made").orElseThrow().getUserId());
    }
  }

  private static List<String> titles(Agent agent, ListNotesOptions options) {
    return agent.notes().list(options).map(Note::getTitle).toList();
  }
}
