package io.memoryd.client;

import io.memoryd.v1.AgentEvent;
import io.memoryd.v1.ClearedEvent;
import io.memoryd.v1.Entry;
import io.memoryd.v1.EntryEvent;
import io.memoryd.v1.Event;
import io.memoryd.v1.EventType;
import io.memoryd.v1.Note;
import io.memoryd.v1.NoteEvent;
import io.memoryd.v1.ScopeEvent;
import io.memoryd.v1.WatchEventsResponse;
import io.memoryd.v1.WatchPhase;
import java.util.List;

/** The messages of a watch for tests of mirrors. */
final class MirrorEvents {
  private MirrorEvents() {}

  static WatchEventsResponse message(WatchPhase phase, long revision, Event... events) {
    return WatchEventsResponse.newBuilder()
        .setPhase(phase)
        .setRevision(revision)
        .addAllEvents(List.of(events))
        .build();
  }

  static WatchEventsResponse live(long revision, Event... events) {
    return message(WatchPhase.WATCH_PHASE_LIVE, revision, events);
  }

  static WatchEventsResponse complete(long revision, Event... events) {
    return message(WatchPhase.WATCH_PHASE_INITIAL_STATE_COMPLETE, revision, events);
  }

  static Event set(String scopeId, String key, String text) {
    return set(Entry.newBuilder().setScopeId(scopeId).setKey(key).setValueJson(text));
  }

  static Event set(Entry.Builder entry) {
    EntryEvent subject =
        EntryEvent.newBuilder()
            .setScopeId(entry.getScopeId())
            .setKey(entry.getKey())
            .setEntry(entry)
            .build();
    return Event.newBuilder().setType(EventType.EVENT_TYPE_ENTRY_SET).setEntry(subject).build();
  }

  static Event removed(String key) {
    EntryEvent.Builder subject = EntryEvent.newBuilder().setKey(key);
    return Event.newBuilder().setType(EventType.EVENT_TYPE_ENTRY_REMOVED).setEntry(subject).build();
  }

  static Event scope(EventType type, String scopeId, String parentId) {
    ScopeEvent.Builder subject =
        ScopeEvent.newBuilder().setScopeId(scopeId).setParentScopeId(parentId);
    return Event.newBuilder().setType(type).setScope(subject).build();
  }

  static Event note(String noteId, String content) {
    Note.Builder note = Note.newBuilder().setNoteId(noteId).setContent(content);
    return Event.newBuilder()
        .setNote(NoteEvent.newBuilder().setNoteId(noteId).setNote(note))
        .build();
  }

  static Event cleared(EventType type, String scopeId) {
    ClearedEvent.Builder subject = ClearedEvent.newBuilder().setScopeId(scopeId);
    return Event.newBuilder().setType(type).setCleared(subject).build();
  }

  static Event agentEnded() {
    return Event.newBuilder()
        .setType(EventType.EVENT_TYPE_AGENT_ENDED)
        .setAgent(AgentEvent.getDefaultInstance())
        .build();
  }
}
