package io.memoryd.client;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import io.memoryd.v1.Entry;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The entries of an agent or of a scope in a {@link NearCache}. Reads in a scope fall back to its
 * parents up to the root, unless they are {@link #local}. Safe to share among threads.
 *
 * <p>Reads return what those of {@link WorkingMemory} do, without a call while the cache is current
 * enough. If the daemon is asked, they throw what those do. They throw {@link
 * io.memoryd.client.error.StaleReadException} where stale reads are refused. They do not count as
 * uses of an entry or of a scope.
 */
public sealed class NearMemory permits NearCache {
  private static final Comparator<Entry> BY_KEY =
      Comparator.comparing(Entry::getKeyBytes, ByteString.unsignedLexicographicalComparator());

  private final Connection connection;
  private final Place place;
  private final NearState state;
  private final NearCacheOptions options;
  private final boolean localOnly;
  // Reads the same from the daemon.
  private final WorkingMemory memory;

  NearMemory(
      Connection connection,
      Place place,
      NearState state,
      NearCacheOptions options,
      boolean localOnly) {
    this.connection = connection;
    this.place = place;
    this.state = state;
    this.options = options;
    this.localOnly = localOnly;
    memory = new WorkingMemory(connection, place, localOnly ? Reading.OWN : Reading.DEFAULT);
  }

  /** Returns the id of the agent. */
  public String agentId() {
    return place.agentId();
  }

  /** Returns the id of the scope, empty for the root. */
  public String scopeId() {
    return place.scopeId();
  }

  /** Returns the same entries, whose reads by key do not fall back to those of the parents. */
  public NearMemory local() {
    return new NearMemory(connection, place, state, options, true);
  }

  /** Returns the value, or empty if there is none. A JSON null is Jackson's {@code NullNode}. */
  public Optional<JsonNode> get(String key) {
    return get(key, JsonNode.class);
  }

  /**
   * Returns the value, or empty if there is none, or for a JSON null unless the type has an object
   * for it. It is decoded by each read, so that it belongs to the caller; numbers, strings,
   * booleans and enums are decoded by the first one.
   *
   * @throws io.memoryd.client.error.WrongTypeException if the value is not of the type
   */
  public <T> Optional<T> get(String key, Class<T> type) {
    MirroredEntry found = find(key);
    return found == null ? memory.get(key, type) : found.value(type, connection.values());
  }

  /**
   * Returns the value as {@link #get(String, Class)} does, for types such as {@code List<Plan>}.
   */
  public <T> Optional<T> get(String key, TypeReference<T> type) {
    MirroredEntry found = find(key);
    return found == null ? memory.get(key, type) : found.value(type.getType(), connection.values());
  }

  /** Returns the whole entry, without its counts of reads, or empty if there is none. */
  public Optional<Entry> getEntry(String key) {
    MirroredEntry found = find(key);
    return found == null ? memory.getEntry(key) : found.entry();
  }

  /**
   * Returns the values of keys, all at one revision. Keys without a value are left out. They may be
   * at most 1,000 if the daemon is asked.
   */
  public Map<String, JsonNode> getMany(Collection<String> keys) {
    return getMany(keys, JsonNode.class);
  }

  /**
   * Returns values of this type, as {@link #getMany(Collection)} does.
   *
   * @throws io.memoryd.client.error.WrongTypeException if a value is not of the type
   */
  public <T> Map<String, @Nullable T> getMany(Collection<String> keys, Class<T> type) {
    @Nullable Map<String, MirroredEntry> found = state.read(mirror -> findAll(mirror, keys));
    if (found == null) {
      return memory.getMany(keys, type);
    }
    Map<String, @Nullable T> values = new LinkedHashMap<>();
    found.forEach((key, each) -> values.put(key, valueOf(each, type)));
    return values;
  }

  /** Returns whether there is an entry. */
  public boolean contains(String key) {
    MirroredEntry found = find(key);
    return found == null ? memory.contains(key) : found != MirroredEntry.NONE;
  }

  /** Returns all own entries of the agent or scope, as {@link #entries(NearListOptions)} does. */
  public List<Entry> entries() {
    return entries(NearListOptions.DEFAULT);
  }

  /**
   * Returns entries in the order of their keys, all at one revision: those about the bound user, or
   * else about none.
   */
  public List<Entry> entries(NearListOptions selected) {
    Collection<MirroredEntry> found = list(selected);
    return found == null ? ask(selected.toListOptions()) : listed(found).toList();
  }

  /** Returns the keys of all own entries, as {@link #keys(NearListOptions)} does. */
  public List<String> keys() {
    return keys(NearListOptions.DEFAULT);
  }

  /** Returns the keys of the entries that {@link #entries(NearListOptions)} returns. */
  public List<String> keys(NearListOptions selected) {
    Collection<MirroredEntry> found = list(selected);
    Stream<Entry> entries =
        found == null ? ask(selected.toListOptions().withoutContent()).stream() : listed(found);
    return entries.map(Entry::getKey).toList();
  }

  Connection connection() {
    return connection;
  }

  Place place() {
    return place;
  }

  NearState state() {
    return state;
  }

  NearCacheOptions options() {
    return options;
  }

  /** Returns what a look-up finds, or null if the daemon is to be asked. */
  private @Nullable MirroredEntry find(String key) {
    return state.read(mirror -> find(mirror, key));
  }

  private @Nullable MirroredEntry find(Mirror mirror, String key) {
    return key.startsWith(options.keyPrefix())
        ? mirror.find(place.scopeId(), key, localOnly)
        : null;
  }

  private @Nullable Map<String, MirroredEntry> findAll(Mirror mirror, Collection<String> keys) {
    Map<String, MirroredEntry> all = new LinkedHashMap<>();
    for (String key : keys) {
      MirroredEntry found = find(mirror, key);
      if (found == null) {
        return null;
      }
      if (found != MirroredEntry.NONE) {
        all.put(key, found);
      }
    }
    return all;
  }

  private @Nullable Collection<MirroredEntry> list(NearListOptions selected) {
    return selected.keyPrefix().startsWith(options.keyPrefix())
        ? state.read(
            mirror -> mirror.entries(place.scopeId(), selected.keyPrefix(), selected.isInherited()))
        : state.read(mirror -> null);
  }

  private Stream<Entry> listed(Collection<MirroredEntry> found) {
    return found.stream()
        .map(MirroredEntry::message)
        .filter(each -> each.getUserId().equals(place.userId()))
        .sorted(BY_KEY);
  }

  private List<Entry> ask(ListOptions selected) {
    try (Stream<Entry> entries = memory.entries(selected)) {
      return entries.toList();
    }
  }

  private <T> T valueOf(MirroredEntry entry, Type type) {
    return entry.<T>value(type, connection.values()).orElse(null);
  }
}
