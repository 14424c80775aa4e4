package io.memoryd.client;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import io.memoryd.v1.BatchGetEntriesRequest;
import io.memoryd.v1.BatchGetEntriesResponse;
import io.memoryd.v1.ClearEntriesRequest;
import io.memoryd.v1.ClearEntriesResponse;
import io.memoryd.v1.CreateScopeRequest;
import io.memoryd.v1.Entry;
import io.memoryd.v1.EntryEvent;
import io.memoryd.v1.GetEntryResponse;
import io.memoryd.v1.ListEntriesRequest;
import io.memoryd.v1.ListEntriesResponse;
import io.memoryd.v1.RemoveEntryRequest;
import io.memoryd.v1.SetEntryRequest;
import io.memoryd.v1.SetEntryResponse;
import io.memoryd.v1.WorkingMemoryServiceGrpc.WorkingMemoryServiceBlockingStub;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The working memory of an agent or of a {@link Scope}: entries by key. Reads in a scope fall back
 * to its parents up to the root, unless they are {@link #local}. Writes stay in the scope itself.
 * Safe to share among threads.
 *
 * <p>Keys are 1 to 1,024 bytes of UTF-8, not blank, without control characters. Values are encoded
 * and decoded by Jackson; {@link Json} is text that is stored byte for byte.
 *
 * <p>Every method that calls the daemon throws {@link io.memoryd.client.error.CallFailedException}
 * if the daemon refuses or cannot be reached, and {@link
 * io.memoryd.client.error.ScopeDisposedException} after the scope's end.
 */
public sealed class WorkingMemory permits Agent, Scope {
  private final Connection connection;
  private final Place place;
  private final Reading reading;

  WorkingMemory(Connection connection, Place place, Reading reading) {
    this.connection = connection;
    this.place = place;
    this.reading = reading;
  }

  /** Returns the id of the agent. */
  public String agentId() {
    return place.agentId();
  }

  /** Returns the id of the scope, empty for the root. */
  public String scopeId() {
    return place.scopeId();
  }

  /** Returns the id of the bound user, empty for none: see {@link Agent#user}. */
  public String userId() {
    return place.userId();
  }

  /** Returns the same working memory, whose methods do not block. */
  public AsyncWorkingMemory async() {
    return new AsyncWorkingMemory(connection, place, reading);
  }

  /** Returns the same working memory, whose reads do not fall back to its parents. */
  public WorkingMemory local() {
    return reading(reading.local());
  }

  /**
   * Returns the same working memory, whose reads have every change of the agent up to this
   * revision, such as that of an earlier {@link #set}. A daemon that shares its store then reads
   * from its memory if that suffices. Without this, a read has every change that was committed
   * before it, as those of {@link #update} and {@link #getOrSet} always have. The last of {@code
   * withMinRevision} and {@link #withMaxStaleness} applies.
   *
   * <p>The reads throw {@link io.memoryd.client.error.RevisionInFutureException} if the agent has
   * not reached the revision.
   */
  public WorkingMemory withMinRevision(long revision) {
    return reading(reading.withMinRevision(revision));
  }

  /**
   * Returns the same working memory, whose reads have every change that was committed at least this
   * long ago, from 0 to 1 day, as {@link #withMinRevision} does for a revision.
   */
  public WorkingMemory withMaxStaleness(Duration staleness) {
    return reading(reading.withMaxStaleness(staleness));
  }

  /**
   * Stores a value, and overwrites the existing one.
   *
   * @throws io.memoryd.client.error.UnsupportedValueException if JSON cannot represent the value
   * @throws io.memoryd.client.error.TooLargeException if the value is larger than a limit allows
   * @throws io.memoryd.client.error.QuotaExceededException if a limit of the agent would be
   *     exceeded
   */
  public SetEntryResponse set(String key, @Nullable Object value) {
    return set(key, value, EntryOptions.DEFAULT);
  }

  /** Stores a value with these attributes, as {@link #set(String, Object)} does. */
  public SetEntryResponse set(String key, @Nullable Object value, EntryOptions options) {
    return set(EntryRequests.set(place, key, connection.values().write(value), options).build());
  }

  /** Stores a value as {@link #set(String, Object)} does, if the condition is met. */
  public SetEntryResponse set(String key, @Nullable Object value, Condition condition) {
    return set(key, value, EntryOptions.DEFAULT, condition);
  }

  /**
   * Stores a value with these attributes, as {@link #set(String, Object)} does, if the condition is
   * met.
   */
  public SetEntryResponse set(
      String key, @Nullable Object value, EntryOptions options, Condition condition) {
    String text = connection.values().write(value);
    SetEntryRequest.Builder request = EntryRequests.set(place, key, text, options);
    return set(request.setPrecondition(condition.toMessage()).build());
  }

  /** Returns the value, or empty if there is none. A JSON null is Jackson's {@code NullNode}. */
  public Optional<JsonNode> get(String key) {
    return get(key, JsonNode.class);
  }

  /**
   * Returns the value, or empty if there is none. A JSON null is empty, too, unless the type has an
   * object for it; {@link #contains} and {@link #getEntry} distinguish the two.
   *
   * @throws io.memoryd.client.error.WrongTypeException if the value is not of the type
   */
  public <T> Optional<T> get(String key, Class<T> type) {
    return get(key, (Type) type);
  }

  /**
   * Returns the value as {@link #get(String, Class)} does, for types such as {@code List<Plan>}.
   */
  public <T> Optional<T> get(String key, TypeReference<T> type) {
    return get(key, type.getType());
  }

  /** Returns the whole entry, or empty if there is none. {@link #valueOf} decodes its value. */
  public Optional<Entry> getEntry(String key) {
    GetEntryResponse answer = connection.entryCalls().get(reading.getEntry(place, key));
    return answer.getFound() ? Optional.of(answer.getEntry()) : Optional.empty();
  }

  /**
   * Decodes an entry's value. A JSON null is null.
   *
   * @throws io.memoryd.client.error.WrongTypeException if the value is not of the type
   */
  public <T> @Nullable T valueOf(Entry entry, Class<T> type) {
    return valueOf(entry, (Type) type);
  }

  /**
   * Decodes an entry's value as {@link #valueOf(Entry, Class)} does, for types such as {@code
   * List<Plan>}.
   */
  public <T> @Nullable T valueOf(Entry entry, TypeReference<T> type) {
    return valueOf(entry, type.getType());
  }

  /**
   * Decodes the value of an entry after a change. Empty if the change removed the entry, if the
   * watch is without content, and for a JSON null unless the type has an object for it.
   *
   * @throws io.memoryd.client.error.WrongTypeException if the value is not of the type
   */
  public <T> Optional<T> valueAfter(EntryEvent event, Class<T> type) {
    return valueIn(event.getEntry(), type);
  }

  /**
   * Decodes the value of an entry after a change as {@link #valueAfter(EntryEvent, Class)} does,
   * for types such as {@code List<Plan>}.
   */
  public <T> Optional<T> valueAfter(EntryEvent event, TypeReference<T> type) {
    return valueIn(event.getEntry(), type.getType());
  }

  /**
   * Decodes the value of an entry before a change. Empty if the change created the entry, unless
   * the watch is {@link WatchOptions#withPrevious} and the journal still retains it, and otherwise
   * as for {@link #valueAfter(EntryEvent, Class)}.
   *
   * @throws io.memoryd.client.error.WrongTypeException if the value is not of the type
   */
  public <T> Optional<T> valueBefore(EntryEvent event, Class<T> type) {
    return valueIn(event.getPrevious(), type);
  }

  /**
   * Decodes the value of an entry before a change as {@link #valueBefore(EntryEvent, Class)} does,
   * for types such as {@code List<Plan>}.
   */
  public <T> Optional<T> valueBefore(EntryEvent event, TypeReference<T> type) {
    return valueIn(event.getPrevious(), type.getType());
  }

  /**
   * Returns the values of up to 1,000 keys, all at one revision. Keys without a value are left out.
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
    BatchGetEntriesRequest request = reading.batchGetEntries(place, keys);
    BatchGetEntriesResponse answer = perform(stub -> stub.batchGetEntries(request));
    Map<String, @Nullable T> values = new LinkedHashMap<>();
    answer.getEntriesList().forEach(entry -> values.put(entry.getKey(), valueOf(entry, type)));
    return values;
  }

  /** Returns all own entries of the agent or scope, as {@link #entries(ListOptions)} does. */
  public Stream<Entry> entries() {
    return entries(ListOptions.DEFAULT);
  }

  /**
   * Returns entries, all at one revision, by default in the order of their keys. The stream reads
   * them page by page, and throws {@link io.memoryd.client.error.PageTokenExpiredException} if its
   * reader takes too long.
   */
  public Stream<Entry> entries(ListOptions options) {
    ListEntriesRequest.Builder request = options.toMessage(place).setPageSize(Pages.SIZE);
    reading.consistency().ifPresent(request::setConsistency);
    return Pages.read(
        token -> perform(stub -> stub.listEntries(request.setPageToken(token).build())),
        ListEntriesResponse::getNextPageToken,
        ListEntriesResponse::getEntriesList);
  }

  /** Returns whether there is an entry, without reading it. */
  public boolean contains(String key) {
    return perform(stub -> stub.containsEntry(reading.containsEntry(place, key))).getFound();
  }

  /**
   * Removes the own entry of the agent or scope, and returns whether there was one. The parent's
   * entry becomes visible again.
   */
  public boolean remove(String key) {
    return remove(EntryRequests.remove(place, key).build());
  }

  /** Removes the entry as {@link #remove(String)} does, if the condition is met. */
  public boolean remove(String key, Condition condition) {
    RemoveEntryRequest.Builder request = EntryRequests.remove(place, key);
    return remove(request.setPrecondition(condition.toMessage()).build());
  }

  /** Removes all own entries of the agent or scope. Scopes below keep theirs. */
  public ClearEntriesResponse clear() {
    return clear(EntryRequests.clear(place).build());
  }

  /** Removes the entries as {@link #clear()} does, if the condition on the agent is met. */
  public ClearEntriesResponse clear(Condition condition) {
    ClearEntriesRequest.Builder request = EntryRequests.clear(place);
    return clear(request.setAgentPrecondition(condition.toMessage()).build());
  }

  /** Returns an empty batch, which collects changes and writes them atomically at one revision. */
  public Batch batch() {
    return new Batch(connection, place);
  }

  /**
   * Replaces the own value of the agent or scope by the result of {@code change}, and returns the
   * new value. No concurrent update is lost. {@code change} runs again if another writer was
   * faster, up to 1,000 times. The entry keeps its expiry, type, importance, tags, metadata, user
   * and type name.
   *
   * @param initial the argument of {@code change} if there is no value, such as null
   * @throws io.memoryd.client.error.WrongTypeException if the value is not of the type
   * @throws io.memoryd.client.error.UnsupportedValueException if JSON cannot represent the result
   *     of {@code change}
   */
  public <T> @Nullable T update(
      String key, Class<T> type, @Nullable T initial, UnaryOperator<@Nullable T> change) {
    return update(key, type, initial, change, EntryOptions.DEFAULT);
  }

  /**
   * Updates as {@link #update(String, Class, Object, UnaryOperator)} does, and gives the entry
   * these attributes: {@link EntryOptions#withoutExpiry} ends its expiry.
   */
  public <T> @Nullable T update(
      String key,
      Class<T> type,
      @Nullable T initial,
      UnaryOperator<@Nullable T> change,
      EntryOptions options) {
    return new Update(reading(Reading.OWN), place, connection.values())
        .run(key, type, initial, change, options);
  }

  /**
   * Updates as {@link #update(String, Class, Object, UnaryOperator)} does, for types such as {@code
   * List<Plan>}.
   */
  public <T> @Nullable T update(
      String key, TypeReference<T> type, @Nullable T initial, UnaryOperator<@Nullable T> change) {
    return update(key, type, initial, change, EntryOptions.DEFAULT);
  }

  /**
   * Updates as {@link #update(String, TypeReference, Object, UnaryOperator)} does, and gives the
   * entry these attributes.
   */
  public <T> @Nullable T update(
      String key,
      TypeReference<T> type,
      @Nullable T initial,
      UnaryOperator<@Nullable T> change,
      EntryOptions options) {
    return new Update(reading(Reading.OWN), place, connection.values())
        .run(key, type.getType(), initial, change, options);
  }

  /**
   * Returns the value. If there is none, calls the factory, and stores and returns its value.
   *
   * <p>Of all callers in all processes, one runs its factory and the others wait for its value. The
   * lease is renewed while the factory runs; if its process dies, another caller takes over when
   * the lease expires. An exception of the factory is thrown here, and the next caller takes over
   * at once.
   *
   * @throws X if the factory throws it
   * @throws io.memoryd.client.error.WrongTypeException if an existing value is not of the type
   */
  public <T, X extends Exception> @Nullable T getOrSet(
      String key, Class<T> type, ValueFactory<? extends @Nullable T, X> factory) throws X {
    return getOrSet(key, type, factory, ReserveOptions.DEFAULT);
  }

  /**
   * Returns or makes the value as {@link #getOrSet(String, Class, ValueFactory)} does, with these
   * options.
   *
   * @throws X if the factory throws it
   * @throws io.memoryd.client.error.DeadlineExceededException if another caller's factory still
   *     runs after the patience
   */
  public <T, X extends Exception> @Nullable T getOrSet(
      String key,
      Class<T> type,
      ValueFactory<? extends @Nullable T, X> factory,
      ReserveOptions options)
      throws X {
    return new Reservation<T>(connection, place, key, type, reading.localOnly(), options)
        .getOrSet(factory);
  }

  /**
   * Returns or makes the value as {@link #getOrSet(String, Class, ValueFactory)} does, for types
   * such as {@code List<Plan>}.
   *
   * @throws X if the factory throws it
   */
  public <T, X extends Exception> @Nullable T getOrSet(
      String key, TypeReference<T> type, ValueFactory<? extends @Nullable T, X> factory) throws X {
    return getOrSet(key, type, factory, ReserveOptions.DEFAULT);
  }

  /**
   * Returns or makes the value as {@link #getOrSet(String, TypeReference, ValueFactory)} does, with
   * these options.
   *
   * @throws X if the factory throws it
   * @throws io.memoryd.client.error.DeadlineExceededException if another caller's factory still
   *     runs after the patience
   */
  public <T, X extends Exception> @Nullable T getOrSet(
      String key,
      TypeReference<T> type,
      ValueFactory<? extends @Nullable T, X> factory,
      ReserveOptions options)
      throws X {
    return new Reservation<T>(connection, place, key, type.getType(), reading.localOnly(), options)
        .getOrSet(factory);
  }

  /**
   * Creates a scope below this agent or scope. Close it after use: see {@link Scope}. Names need
   * not be unique.
   *
   * @throws io.memoryd.client.error.QuotaExceededException if the agent has too many scopes
   */
  public Scope scope(String name) {
    return scope(name, ScopeOptions.DEFAULT);
  }

  /**
   * Creates a scope with these options, as {@link #scope(String)} does.
   *
   * @throws io.memoryd.client.error.RecordExistsException if the options require a new name, and
   *     there is a scope of this name
   * @throws io.memoryd.client.error.RecordNotFoundException if the options require a scope of this
   *     name, and there is none
   * @throws io.memoryd.client.error.RevisionMismatchException if the scope of this name has another
   *     revision than the options require
   */
  public Scope scope(String name, ScopeOptions options) {
    CreateScopeRequest request = options.toRequest(place, name);
    String scopeId = perform(stub -> stub.createScope(request)).getScope().getScopeId();
    return Scope.created(connection, place.scope(scopeId), request);
  }

  /**
   * Watches the agent with all its scopes, or the scope with those below it. No commit after it
   * returns is missed.
   */
  public Watch watch() {
    return watch(WatchOptions.DEFAULT);
  }

  /**
   * Watches as {@link #watch()} does, with these options.
   *
   * @throws io.memoryd.client.error.InvalidResumeTokenException if the resume token is damaged
   * @throws io.memoryd.client.error.RevisionCompactedException if the journal no longer retains the
   *     next event
   */
  public Watch watch(WatchOptions options) {
    return Watch.begin(connection, options.toMessage(place), options.outageMax());
  }

  <T> T perform(Function<WorkingMemoryServiceBlockingStub, T> call) {
    return Connection.perform(() -> call.apply(connection.workingMemory()));
  }

  Place place() {
    return place;
  }

  Connection connection() {
    return connection;
  }

  private WorkingMemory reading(Reading changed) {
    return new WorkingMemory(connection, place, changed);
  }

  private <T> Optional<T> get(String key, Type type) {
    return getEntry(key).map(entry -> this.<T>valueOf(entry, type));
  }

  private <T> @Nullable T valueOf(Entry entry, Type type) {
    return connection.values().read(entry.getValueJson(), type, entry.getKey());
  }

  private <T> Optional<T> valueIn(Entry entry, Type type) {
    // No value is empty JSON text.
    return entry.getValueJson().isEmpty()
        ? Optional.empty()
        : Optional.ofNullable(this.<T>valueOf(entry, type));
  }

  SetEntryResponse set(SetEntryRequest request) {
    return connection.entryCalls().set(request);
  }

  private boolean remove(RemoveEntryRequest request) {
    return connection.entryCalls().remove(request).getDeleted();
  }

  private ClearEntriesResponse clear(ClearEntriesRequest request) {
    return perform(stub -> stub.clearEntries(request));
  }
}
