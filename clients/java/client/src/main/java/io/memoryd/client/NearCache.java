package io.memoryd.client;

import com.google.protobuf.Timestamp;
import io.memoryd.client.error.RecordNotFoundException;
import io.memoryd.v1.Note;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A live copy of an agent's entries, scopes and notes in this process, which a watch with its
 * initial state keeps current.
 *
 * <pre>{@code
 * try (NearCache cache = agent.nearCache()) {
 *   agent.set("mood", "good");
 *   cache.get("mood", String.class); // no call
 * }
 * }</pre>
 *
 * <p>A read costs no call. It has every write of this client that has returned, and all other
 * changes that were committed at least {@link NearCacheOptions#withMaxStaleness} before it. Where
 * that is not certain, as while the daemon cannot be reached, it does what {@link
 * NearCacheOptions#withWhenStale} says. A restart of the daemon, and a watch that has lost its
 * place, are recovered from by themselves.
 *
 * <p>Expiry is checked at each read, by the clock of this process. Safe to share among threads.
 */
public final class NearCache extends NearMemory implements AutoCloseable {
  private static final Comparator<Timestamp> BY_TIME =
      Comparator.comparingLong(Timestamp::getSeconds).thenComparingInt(Timestamp::getNanos);
  private static final Comparator<Note> BY_CREATION =
      Comparator.comparing(Note::getCreateTime, BY_TIME).thenComparing(Note::getNoteId);

  private final NearCopy copy;
  private final Notes notes;

  NearCache(Connection connection, Place place, NearCopy copy, NearCacheOptions options) {
    super(connection, place, copy.state(), options, false);
    this.copy = copy;
    notes = new Notes(connection, place);
  }

  /**
   * Returns the entries of an existing scope. Those of one that the cache does not hold are read
   * from the daemon.
   */
  public NearMemory attach(String scopeId) {
    return new NearMemory(connection(), place().scope(scopeId), state(), options(), false);
  }

  /** Returns the agent's revision up to which the cache has all changes. */
  public long revision() {
    return state().revision();
  }

  /** Returns the time within which the last changes may be missing; empty once it is closed. */
  public Optional<Duration> staleness() {
    return state().staleness();
  }

  /** Returns the memory that the records take, roughly, in bytes. */
  public long sizeBytes() {
    return state().sizeBytes();
  }

  /** Returns a note, or empty if there is none. */
  public Optional<Note> note(String noteId) {
    Optional<Note> found = state().read(mirror -> note(mirror, noteId));
    if (found != null) {
      return found;
    }
    try {
      return Optional.of(notes.get(noteId));
    } catch (RecordNotFoundException none) {
      return Optional.empty();
    }
  }

  /** Returns the notes about the bound user, or else about none, in the order of their creation. */
  public List<Note> notes() {
    List<Note> found =
        state().read(mirror -> options().hasNotes() ? List.copyOf(mirror.notes().values()) : null);
    if (found == null) {
      try (Stream<Note> asked = notes.list()) {
        return asked.toList();
      }
    }
    return found.stream()
        .filter(each -> each.getUserId().equals(place().userId()))
        .sorted(BY_CREATION)
        .toList();
  }

  /** Ends the cache. Its reads then ask the daemon, or are refused. A second call does nothing. */
  @Override
  public void close() {
    copy.close();
  }

  // Null if the daemon is to be asked.
  private Optional<Note> note(Mirror mirror, String noteId) {
    return options().hasNotes() ? Optional.ofNullable(mirror.notes().get(noteId)) : null;
  }
}
