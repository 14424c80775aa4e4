package io.memoryd.client;

import io.memoryd.client.error.CacheFullException;
import io.memoryd.v1.Entry;
import io.memoryd.v1.Event;
import io.memoryd.v1.EventType;
import io.memoryd.v1.Note;
import io.memoryd.v1.ScopeEvent;
import io.memoryd.v1.WatchEventsResponse;
import io.memoryd.v1.WatchPhase;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A copy of an agent's entries, scopes and notes at a revision, built from nothing but a watch with
 * its initial state. Commits are applied whole, in order.
 *
 * <p>One thread at a time may apply messages. Others may read meanwhile without failing, but then
 * have to read again, since they may have found a part of a commit.
 */
final class Mirror {
  private static final String ROOT = "";
  // The memory that a record takes beside its texts.
  private static final int RECORD_BYTES = 1_000;

  // Where a look-up in a scope reads: its own entries, those of its ancestors, and the root's at
  // last.
  private final Map<String, List<Map<String, MirroredEntry>>> paths = new ConcurrentHashMap<>();
  private final Map<String, Note> notes = new ConcurrentHashMap<>();
  private final List<Event> unfinished = new ArrayList<>();
  private final long bytesMax;
  private final MirroredEntry.Clock clock;
  private long revision;
  private int lives;
  private boolean exists;
  private boolean ended;
  private boolean complete;
  private long sizeBytes;

  /**
   * Creates an empty mirror.
   *
   * @param bytesMax the maximum number of bytes that its records take, roughly
   * @param lives the number of ends of the agent before
   * @param clock the clock for deadlines
   */
  Mirror(long bytesMax, int lives, MirroredEntry.Clock clock) {
    this.bytesMax = bytesMax;
    this.lives = lives;
    this.clock = clock;
    empty();
  }

  long revision() {
    return revision;
  }

  /** Returns the number of ends of the agent. */
  int lives() {
    return lives;
  }

  /** Returns whether the last commit has ended the agent. */
  boolean hasEnded() {
    return ended;
  }

  /** Returns true if a record says so: where none is selected, the agent may exist nonetheless. */
  boolean exists() {
    return exists;
  }

  /** Returns whether it has the whole initial state. */
  boolean isComplete() {
    return complete;
  }

  long sizeBytes() {
    return sizeBytes;
  }

  /** Counts the ends of an agent whose earlier lives another mirror had. */
  void follow(Mirror former) {
    lives += former.lives + 1;
  }

  /**
   * Applies a message. The events of a commit that continues in the next message wait for it, also
   * across connections.
   *
   * @throws CacheFullException if the records take more memory than they may
   */
  void apply(WatchEventsResponse message) {
    if (message.getPhase() == WatchPhase.WATCH_PHASE_OPENED) {
      return;
    }
    if (message.getRevisionContinues()) {
      unfinished.addAll(message.getEventsList());
      return;
    }
    ended &= message.getRevision() == revision;
    unfinished.forEach(this::change);
    unfinished.clear();
    message.getEventsList().forEach(this::change);
    revision = message.getRevision();
    complete |= message.getPhase() == WatchPhase.WATCH_PHASE_INITIAL_STATE_COMPLETE;
    if (sizeBytes > bytesMax) {
      throw new CacheFullException(bytesMax);
    }
  }

  /**
   * Returns what a look-up in a scope finds: {@link MirroredEntry#NONE} if there is no entry, null
   * if there is no scope.
   */
  @Nullable MirroredEntry find(String scopeId, String key, boolean localOnly) {
    List<Map<String, MirroredEntry>> path = paths.get(scopeId);
    if (path == null) {
      return null;
    }
    int scopes = localOnly ? 1 : path.size();
    for (int index = 0; index < scopes; index++) {
      MirroredEntry found = path.get(index).get(key);
      if (found != null && found.isAlive(clock)) {
        return found;
      }
    }
    return MirroredEntry.NONE;
  }

  /**
   * Returns the entries of a scope whose keys start with a prefix, in any order, with those that
   * the scope inherits if wanted; null if there is no scope.
   */
  @Nullable Collection<MirroredEntry> entries(String scopeId, String keyPrefix, boolean inherited) {
    List<Map<String, MirroredEntry>> path = paths.get(scopeId);
    if (path == null) {
      return null;
    }
    Map<String, MirroredEntry> nearest = new HashMap<>();
    for (Map<String, MirroredEntry> scope : inherited ? path : path.subList(0, 1)) {
      scope.forEach(
          (key, found) -> {
            if (key.startsWith(keyPrefix) && found.isAlive(clock)) {
              nearest.putIfAbsent(key, found);
            }
          });
    }
    return nearest.values();
  }

  /** Returns the notes by their ids. */
  Map<String, Note> notes() {
    return notes;
  }

  private void empty() {
    paths.clear();
    paths.put(ROOT, List.of(new ConcurrentHashMap<>()));
    notes.clear();
    sizeBytes = 0;
  }

  private void change(Event event) {
    ended = event.getType() == EventType.EVENT_TYPE_AGENT_ENDED;
    exists = !ended;
    if (!exists) {
      empty();
      lives++;
      return;
    }
    switch (event.getSubjectCase()) {
      case ENTRY -> {
        var subject = event.getEntry();
        Entry entry = subject.hasEntry() ? subject.getEntry() : null;
        setEntry(subject.getScopeId(), subject.getKey(), entry);
      }
      case SCOPE -> changeScope(event.getType(), event.getScope());
      case NOTE -> {
        var subject = event.getNote();
        setNote(subject.getNoteId(), subject.hasNote() ? subject.getNote() : null);
      }
      case CLEARED -> clear(event.getType(), event.getCleared().getScopeId());
      default -> {}
    }
  }

  private void changeScope(EventType type, ScopeEvent scope) {
    String scopeId = scope.getScopeId();
    if (type == EventType.EVENT_TYPE_SCOPE_DISPOSED) {
      clearEntries(scopeId);
      paths.remove(scopeId);
    } else if (!paths.containsKey(scopeId)) {
      List<Map<String, MirroredEntry>> path = new ArrayList<>();
      path.add(new ConcurrentHashMap<>());
      path.addAll(paths.getOrDefault(scope.getParentScopeId(), List.of()));
      paths.put(scopeId, List.copyOf(path));
    }
  }

  private void clear(EventType type, String scopeId) {
    if (type == EventType.EVENT_TYPE_ENTRIES_CLEARED) {
      clearEntries(scopeId);
    } else if (type == EventType.EVENT_TYPE_NOTES_CLEARED) {
      List.copyOf(notes.keySet()).forEach(noteId -> setNote(noteId, null));
    }
  }

  /** Sets an entry, or removes it if it is null. Those of scopes that are not held are left out. */
  private void setEntry(String scopeId, String key, @Nullable Entry entry) {
    List<Map<String, MirroredEntry>> path = paths.get(scopeId);
    if (path == null) {
      return;
    }
    Map<String, MirroredEntry> own = path.get(0);
    MirroredEntry before = entry == null ? own.remove(key) : own.put(key, new MirroredEntry(entry));
    sizeBytes +=
        (entry == null ? 0 : bytesOf(entry)) - (before == null ? 0 : bytesOf(before.message()));
  }

  private void setNote(String noteId, @Nullable Note note) {
    Note before = note == null ? notes.remove(noteId) : notes.put(noteId, note);
    sizeBytes += (note == null ? 0 : bytesOf(note)) - (before == null ? 0 : bytesOf(before));
  }

  private void clearEntries(String scopeId) {
    List<Map<String, MirroredEntry>> path = paths.get(scopeId);
    if (path != null) {
      // The map itself is part of the paths of the scopes below.
      Map<String, MirroredEntry> own = path.get(0);
      own.values().forEach(each -> sizeBytes -= bytesOf(each.message()));
      own.clear();
    }
  }

  private static long bytesOf(Entry entry) {
    return RECORD_BYTES + entry.getKey().length() + entry.getValueJson().length();
  }

  private static long bytesOf(Note note) {
    return RECORD_BYTES + note.getTitle().length() + note.getContent().length();
  }
}
