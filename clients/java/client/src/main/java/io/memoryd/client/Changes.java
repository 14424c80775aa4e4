package io.memoryd.client;

import io.memoryd.v1.ClearEntriesRequest;
import io.memoryd.v1.ClearEntriesResponse;
import io.memoryd.v1.CreateScopeRequest;
import io.memoryd.v1.GetOrSetEntryRequest;
import io.memoryd.v1.GetOrSetEntryResponse;
import io.memoryd.v1.RemoveEntryRequest;
import io.memoryd.v1.SetEntryRequest;
import io.memoryd.v1.SetEntryResponse;
import io.memoryd.v1.Write;
import io.memoryd.v1.WriteResult;
import org.jspecify.annotations.Nullable;

/**
 * The changes of entries and scopes that a {@link Transaction} and its scopes have in common. They
 * do not call the daemon.
 */
public abstract sealed class Changes permits Transaction, TransactionScope {
  private final Connection connection;
  private final Place place;
  private final Writes writes;

  Changes(Connection connection, Place place, Writes writes) {
    this.connection = connection;
    this.place = place;
    this.writes = writes;
  }

  /** Returns the id of the agent. */
  public String agentId() {
    return place.agentId();
  }

  /** Returns the id of the scope, empty for the root. */
  public String scopeId() {
    return place.scopeId();
  }

  /**
   * Stores a value, and overwrites the existing one. The entry in the response has no content.
   *
   * @throws io.memoryd.client.error.UnsupportedValueException at once, if JSON cannot represent the
   *     value
   */
  public Written<SetEntryResponse> set(String key, @Nullable Object value) {
    return set(key, value, EntryOptions.DEFAULT);
  }

  /** Stores a value with these attributes, as {@link #set(String, Object)} does. */
  public Written<SetEntryResponse> set(String key, @Nullable Object value, EntryOptions options) {
    return set(entry(key, value, options));
  }

  /**
   * Stores a value as {@link #set(String, Object)} does. If the condition is not met, nothing of
   * the transaction is changed.
   */
  public Written<SetEntryResponse> set(String key, @Nullable Object value, Condition condition) {
    return set(key, value, EntryOptions.DEFAULT, condition);
  }

  /**
   * Stores a value with these attributes, as {@link #set(String, Object)} does. If the condition is
   * not met, nothing of the transaction is changed.
   */
  public Written<SetEntryResponse> set(
      String key, @Nullable Object value, EntryOptions options, Condition condition) {
    return set(entry(key, value, options).setPrecondition(condition.toMessage()));
  }

  /**
   * Stores a value unless the key has an entry in the scope or in its parents. The response says
   * whether it was stored; the entry in it has no content.
   *
   * @throws io.memoryd.client.error.UnsupportedValueException at once, if JSON cannot represent the
   *     value
   */
  public Written<GetOrSetEntryResponse> getOrSet(String key, @Nullable Object value) {
    return getOrSet(key, value, EntryOptions.DEFAULT);
  }

  /** Stores a value with these attributes, as {@link #getOrSet(String, Object)} does. */
  public Written<GetOrSetEntryResponse> getOrSet(
      String key, @Nullable Object value, EntryOptions options) {
    return getOrSet(missing(key, value, options));
  }

  /**
   * Stores a value with these attributes, as {@link #getOrSet(String, Object)} does, unless the key
   * has an own entry of the agent or scope: those of the parents do not count.
   */
  public Written<GetOrSetEntryResponse> getOrSetLocal(
      String key, @Nullable Object value, EntryOptions options) {
    return getOrSet(missing(key, value, options).setLocalOnly(true));
  }

  /** Removes the own entry of the agent or scope. The result is true if there was one. */
  public Written<Boolean> remove(String key) {
    return remove(removal(key));
  }

  /**
   * Removes the entry as {@link #remove(String)} does. If the condition is not met, nothing of the
   * transaction is changed.
   */
  public Written<Boolean> remove(String key, Condition condition) {
    return remove(removal(key).setPrecondition(condition.toMessage()));
  }

  /** Removes all own entries of the agent or scope. Scopes below keep theirs. */
  public Written<ClearEntriesResponse> clear() {
    var request = ClearEntriesRequest.newBuilder().setScopeId(scopeId());
    return writes.add(
        Write.newBuilder().setClearEntries(request).build(), WriteResult::getClearEntries);
  }

  /**
   * Creates a scope below this one. The result is the scope, whose id is known after the commit.
   */
  public Written<Scope> scope(String name) {
    return scope(name, ScopeOptions.DEFAULT);
  }

  /** Creates a scope with these options, as {@link #scope(String)} does. */
  public Written<Scope> scope(String name, ScopeOptions options) {
    CreateScopeRequest.Builder request =
        options.toMessage(place.userId()).setParentScopeId(scopeId()).setName(name);
    return writes.add(
        Write.newBuilder().setCreateScope(request).build(),
        result -> {
          String scopeId = result.getCreateScope().getScope().getScopeId();
          return new Scope(connection, place.scope(scopeId));
        });
  }

  Connection connection() {
    return connection;
  }

  Place place() {
    return place;
  }

  Writes writes() {
    return writes;
  }

  private Written<SetEntryResponse> set(SetEntryRequest.Builder request) {
    return writes.add(Write.newBuilder().setSetEntry(request).build(), WriteResult::getSetEntry);
  }

  private SetEntryRequest.Builder entry(String key, @Nullable Object value, EntryOptions options) {
    String text = connection.values().write(value);
    return options.toRequest(inCommit()).setKey(key).setValueJson(text);
  }

  private Written<GetOrSetEntryResponse> getOrSet(GetOrSetEntryRequest.Builder request) {
    return writes.add(
        Write.newBuilder().setGetOrSetEntry(request).build(), WriteResult::getGetOrSetEntry);
  }

  private GetOrSetEntryRequest.Builder missing(
      String key, @Nullable Object value, EntryOptions options) {
    String text = connection.values().write(value);
    return options.toGetOrSet(inCommit()).setKey(key).setValueJson(text);
  }

  private Written<Boolean> remove(RemoveEntryRequest.Builder request) {
    return writes.add(
        Write.newBuilder().setRemoveEntry(request).build(),
        result -> result.getRemoveEntry().getDeleted());
  }

  private RemoveEntryRequest.Builder removal(String key) {
    return RemoveEntryRequest.newBuilder().setScopeId(scopeId()).setKey(key);
  }

  /** Returns the place of a write, whose agent is that of the commit. */
  private Place inCommit() {
    return new Place("", scopeId(), place.userId());
  }
}
