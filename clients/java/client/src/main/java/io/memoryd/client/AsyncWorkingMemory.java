package io.memoryd.client;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.memoryd.v1.BatchGetEntriesResponse;
import io.memoryd.v1.ClearEntriesResponse;
import io.memoryd.v1.ContainsEntryResponse;
import io.memoryd.v1.CreateScopeRequest;
import io.memoryd.v1.Entry;
import io.memoryd.v1.Event;
import io.memoryd.v1.GetEntryResponse;
import io.memoryd.v1.ListEntriesRequest;
import io.memoryd.v1.ListEntriesResponse;
import io.memoryd.v1.RemoveEntryRequest;
import io.memoryd.v1.RemoveEntryResponse;
import io.memoryd.v1.SetEntryRequest;
import io.memoryd.v1.SetEntryResponse;
import io.memoryd.v1.WorkingMemoryServiceGrpc;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A {@link WorkingMemory} without blocking: each method that calls the daemon returns a future. It
 * completes exceptionally with the error that the other method throws. To cancel it is to cancel
 * the call. Values that JSON cannot represent are refused at once.
 *
 * <p>Code of the caller, such as that of {@link #update}, runs in a thread of gRPC and must not
 * block.
 */
public sealed class AsyncWorkingMemory permits AsyncAgent, AsyncScope {
  private final Connection connection;
  private final Place place;
  private final Reading reading;

  AsyncWorkingMemory(Connection connection, Place place, Reading reading) {
    this.connection = connection;
    this.place = place;
    this.reading = reading;
  }

  /** Does what {@link WorkingMemory#set(String, Object)} does. */
  public CompletableFuture<SetEntryResponse> set(String key, @Nullable Object value) {
    return set(key, value, EntryOptions.DEFAULT);
  }

  /** Does what {@link WorkingMemory#set(String, Object, EntryOptions)} does. */
  public CompletableFuture<SetEntryResponse> set(
      String key, @Nullable Object value, EntryOptions options) {
    return set(EntryRequests.set(place, key, connection.values().write(value), options));
  }

  /** Does what {@link WorkingMemory#set(String, Object, Condition)} does. */
  public CompletableFuture<SetEntryResponse> set(
      String key, @Nullable Object value, Condition condition) {
    return set(key, value, EntryOptions.DEFAULT, condition);
  }

  /** Does what {@link WorkingMemory#set(String, Object, EntryOptions, Condition)} does. */
  public CompletableFuture<SetEntryResponse> set(
      String key, @Nullable Object value, EntryOptions options, Condition condition) {
    String text = connection.values().write(value);
    return set(EntryRequests.set(place, key, text, options).setPrecondition(condition.toMessage()));
  }

  /** Does what {@link WorkingMemory#get(String)} does. */
  public CompletableFuture<Optional<JsonNode>> get(String key) {
    return get(key, JsonNode.class);
  }

  /** Does what {@link WorkingMemory#get(String, Class)} does. */
  public <T> CompletableFuture<Optional<T>> get(String key, Class<T> type) {
    return get(key, (Type) type);
  }

  /** Does what {@link WorkingMemory#get(String, TypeReference)} does. */
  public <T> CompletableFuture<Optional<T>> get(String key, TypeReference<T> type) {
    return get(key, type.getType());
  }

  /** Does what {@link WorkingMemory#getEntry} does. */
  public CompletableFuture<Optional<Entry>> getEntry(String key) {
    return getEntry(key, Function.identity());
  }

  /** Does what {@link WorkingMemory#getMany(Collection)} does. */
  public CompletableFuture<Map<String, JsonNode>> getMany(Collection<String> keys) {
    return getMany(keys, JsonNode.class);
  }

  /** Does what {@link WorkingMemory#getMany(Collection, Class)} does. */
  public <T> CompletableFuture<Map<String, @Nullable T>> getMany(
      Collection<String> keys, Class<T> type) {
    return call(
        WorkingMemoryServiceGrpc.getBatchGetEntriesMethod(),
        reading.batchGetEntries(place, keys),
        (BatchGetEntriesResponse response) -> {
          Map<String, @Nullable T> values = new LinkedHashMap<>();
          response
              .getEntriesList()
              .forEach(entry -> values.put(entry.getKey(), valueOf(entry, type)));
          return values;
        });
  }

  /** Does what {@link WorkingMemory#entries()} does. The future has the entries of all pages. */
  public CompletableFuture<List<Entry>> entries() {
    return entries(ListOptions.DEFAULT);
  }

  /**
   * Does what {@link WorkingMemory#entries(ListOptions)} does. The future has the entries of all
   * pages.
   */
  public CompletableFuture<List<Entry>> entries(ListOptions options) {
    ListEntriesRequest.Builder request = options.toMessage(place).setPageSize(Pages.SIZE);
    reading.consistency().ifPresent(request::setConsistency);
    ListEntriesRequest first = request.build();
    return Futures.pages(
        token ->
            call(
                WorkingMemoryServiceGrpc.getListEntriesMethod(),
                first.toBuilder().setPageToken(token).build(),
                Function.identity()),
        ListEntriesResponse::getNextPageToken,
        ListEntriesResponse::getEntriesList);
  }

  /** Does what {@link WorkingMemory#contains} does. */
  public CompletableFuture<Boolean> contains(String key) {
    return call(
        WorkingMemoryServiceGrpc.getContainsEntryMethod(),
        reading.containsEntry(place, key),
        ContainsEntryResponse::getFound);
  }

  /** Does what {@link WorkingMemory#remove(String)} does. */
  public CompletableFuture<Boolean> remove(String key) {
    return remove(EntryRequests.remove(place, key));
  }

  /** Does what {@link WorkingMemory#remove(String, Condition)} does. */
  public CompletableFuture<Boolean> remove(String key, Condition condition) {
    return remove(EntryRequests.remove(place, key).setPrecondition(condition.toMessage()));
  }

  /** Does what {@link WorkingMemory#clear()} does. */
  public CompletableFuture<ClearEntriesResponse> clear() {
    return call(
        WorkingMemoryServiceGrpc.getClearEntriesMethod(),
        EntryRequests.clear(place).build(),
        Function.identity());
  }

  /** Does what {@link WorkingMemory#clear(Condition)} does. */
  public CompletableFuture<ClearEntriesResponse> clear(Condition condition) {
    return call(
        WorkingMemoryServiceGrpc.getClearEntriesMethod(),
        EntryRequests.clear(place).setAgentPrecondition(condition.toMessage()).build(),
        Function.identity());
  }

  /** Does what {@link WorkingMemory#update(String, Class, Object, UnaryOperator)} does. */
  public <T> CompletableFuture<@Nullable T> update(
      String key, Class<T> type, @Nullable T initial, UnaryOperator<@Nullable T> change) {
    return update(key, type, initial, change, EntryOptions.DEFAULT);
  }

  /**
   * Does what {@link WorkingMemory#update(String, Class, Object, UnaryOperator, EntryOptions)}
   * does.
   */
  public <T> CompletableFuture<@Nullable T> update(
      String key,
      Class<T> type,
      @Nullable T initial,
      UnaryOperator<@Nullable T> change,
      EntryOptions options) {
    return new AsyncUpdate<>(own(), key, type, initial, change, options).run();
  }

  /** Does what {@link WorkingMemory#update(String, TypeReference, Object, UnaryOperator)} does. */
  public <T> CompletableFuture<@Nullable T> update(
      String key, TypeReference<T> type, @Nullable T initial, UnaryOperator<@Nullable T> change) {
    return update(key, type, initial, change, EntryOptions.DEFAULT);
  }

  /**
   * Does what {@link WorkingMemory#update(String, TypeReference, Object, UnaryOperator,
   * EntryOptions)} does.
   */
  public <T> CompletableFuture<@Nullable T> update(
      String key,
      TypeReference<T> type,
      @Nullable T initial,
      UnaryOperator<@Nullable T> change,
      EntryOptions options) {
    return new AsyncUpdate<>(own(), key, type.getType(), initial, change, options).run();
  }

  /**
   * Does what {@link WorkingMemory#getOrSet(String, Class, ValueFactory)} does, with a factory that
   * begins to make the value. To cancel the future is to cancel that of the factory, too.
   */
  public <T> CompletableFuture<@Nullable T> getOrSet(
      String key,
      Class<T> type,
      Supplier<? extends CompletionStage<? extends @Nullable T>> factory) {
    return getOrSet(key, type, factory, ReserveOptions.DEFAULT);
  }

  /** Does what {@link #getOrSet(String, Class, Supplier)} does, with these options. */
  public <T> CompletableFuture<@Nullable T> getOrSet(
      String key,
      Class<T> type,
      Supplier<? extends CompletionStage<? extends @Nullable T>> factory,
      ReserveOptions options) {
    return getOrSet(key, (Type) type, factory, options);
  }

  /**
   * Does what {@link #getOrSet(String, Class, Supplier)} does, for types such as {@code
   * List<Plan>}.
   */
  public <T> CompletableFuture<@Nullable T> getOrSet(
      String key,
      TypeReference<T> type,
      Supplier<? extends CompletionStage<? extends @Nullable T>> factory) {
    return getOrSet(key, type, factory, ReserveOptions.DEFAULT);
  }

  /** Does what {@link #getOrSet(String, TypeReference, Supplier)} does, with these options. */
  public <T> CompletableFuture<@Nullable T> getOrSet(
      String key,
      TypeReference<T> type,
      Supplier<? extends CompletionStage<? extends @Nullable T>> factory,
      ReserveOptions options) {
    return getOrSet(key, type.getType(), factory, options);
  }

  /** Does what {@link WorkingMemory#scope(String)} does. */
  public CompletableFuture<AsyncScope> scope(String name) {
    return scope(name, ScopeOptions.DEFAULT);
  }

  /**
   * Does what {@link WorkingMemory#scope(String, ScopeOptions)} does. If the future is cancelled
   * and the scope is created nonetheless, it is disposed.
   */
  public CompletableFuture<AsyncScope> scope(String name, ScopeOptions options) {
    CreateScopeRequest request = options.toRequest(place, name);
    Steps<AsyncScope> steps = new Steps<>();
    steps.after(
        call(WorkingMemoryServiceGrpc.getCreateScopeMethod(), request, Function.identity()),
        response -> {
          Place created = place.scope(response.getScope().getScopeId());
          AsyncScope scope = AsyncScope.created(connection, created, request);
          if (!steps.complete(scope)) {
            scope.dispose();
          }
        });
    return steps.result();
  }

  /** Watches as {@link WorkingMemory#watch()} does. */
  public Flow.Publisher<Event> watch() {
    return watch(WatchOptions.DEFAULT);
  }

  /**
   * Returns the events that {@link WorkingMemory#watch(WatchOptions)} iterates over. Each
   * subscription is a watch of its own, with a thread of its own; it ends when it is cancelled, and
   * with an error that no reconnection can resolve. To learn from when on no commit is missed, or
   * to resume it later, subscribe to {@link #watchMessages}.
   */
  public Flow.Publisher<Event> watch(WatchOptions options) {
    return new WatchPublisher<>(watching(options), watch -> watch);
  }

  /**
   * Returns the messages that {@link Watch#messages} iterates over, as {@link #watch(WatchOptions)}
   * does: the first one says that the watch is open.
   */
  public Flow.Publisher<WatchMessage> watchMessages(WatchOptions options) {
    return new WatchPublisher<>(watching(options), Watch::messages);
  }

  /** Returns the id of the agent. */
  public String agentId() {
    return place.agentId();
  }

  /** Returns the id of the scope, empty for the root. */
  public String scopeId() {
    return place.scopeId();
  }

  private Supplier<Watch> watching(WatchOptions options) {
    return () -> Watch.begin(connection, options.toMessage(place), options.outageMax());
  }

  private <T> CompletableFuture<@Nullable T> getOrSet(
      String key,
      Type type,
      Supplier<? extends CompletionStage<? extends @Nullable T>> factory,
      ReserveOptions options) {
    Reservation<T> reservation =
        new Reservation<>(connection, place, key, type, reading.localOnly(), options);
    return new AsyncReservation<>(connection, reservation, factory).getOrSet();
  }

  private AsyncWorkingMemory own() {
    return new AsyncWorkingMemory(connection, place, Reading.OWN);
  }

  Connection connection() {
    return connection;
  }

  Place place() {
    return place;
  }

  CompletableFuture<SetEntryResponse> set(SetEntryRequest.Builder request) {
    return call(WorkingMemoryServiceGrpc.getSetEntryMethod(), request.build(), Function.identity());
  }

  private CompletableFuture<Boolean> remove(RemoveEntryRequest.Builder request) {
    return call(
        WorkingMemoryServiceGrpc.getRemoveEntryMethod(),
        request.build(),
        RemoveEntryResponse::getDeleted);
  }

  private <T> CompletableFuture<Optional<T>> get(String key, Type type) {
    return getEntry(key, entry -> this.<T>valueOf(entry, type));
  }

  /** Returns what a function makes of the entry, or empty if there is none or it is a JSON null. */
  private <T> CompletableFuture<Optional<T>> getEntry(String key, Function<Entry, T> result) {
    return call(
        WorkingMemoryServiceGrpc.getGetEntryMethod(),
        reading.getEntry(place, key),
        (GetEntryResponse response) ->
            response.getFound()
                ? Optional.ofNullable(result.apply(response.getEntry()))
                : Optional.empty());
  }

  private <T> @Nullable T valueOf(Entry entry, Type type) {
    return connection.values().read(entry.getValueJson(), type, entry.getKey());
  }

  private <Q, S, R> CompletableFuture<R> call(
      MethodDescriptor<Q, S> method, Q request, Function<S, R> result) {
    return Futures.call(connection.channel(), method, CallOptions.DEFAULT, request, result);
  }
}
