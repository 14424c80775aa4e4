package io.memoryd.client;

import io.memoryd.v1.BatchWriteEntriesRequest;
import io.memoryd.v1.BatchWriteEntriesResponse;
import io.memoryd.v1.EntryOperation;
import io.memoryd.v1.RemoveEntryOperation;
import io.memoryd.v1.SetEntryOperation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Up to 1,000 sets and removes in one agent or scope that are written atomically. A key may occur
 * once. Not safe for use by several threads.
 *
 * <pre>{@code
 * agent.batch().set("table", 7).set("time", "19:30").remove("plan").write();
 * }</pre>
 */
public final class Batch {
  private final Connection connection;
  private final Place place;
  private final List<EntryOperation> operations = new ArrayList<>();

  Batch(Connection connection, Place place) {
    this.connection = connection;
    this.place = place;
  }

  /**
   * Stores a value when the batch is written.
   *
   * @throws io.memoryd.client.error.UnsupportedValueException at once, if JSON cannot represent the
   *     value
   */
  public Batch set(String key, @Nullable Object value) {
    return set(key, value, EntryOptions.DEFAULT);
  }

  /** Stores a value with these attributes, as {@link #set(String, Object)} does. */
  public Batch set(String key, @Nullable Object value, EntryOptions options) {
    return add(entry(key, value, options));
  }

  /**
   * Stores a value as {@link #set(String, Object)} does. If the condition is not met, nothing of
   * the batch is written.
   */
  public Batch set(String key, @Nullable Object value, EntryOptions options, Condition condition) {
    return add(entry(key, value, options).setPrecondition(condition.toMessage()));
  }

  /** Removes a key when the batch is written. A key without an entry is not an error. */
  public Batch remove(String key) {
    return add(RemoveEntryOperation.newBuilder().setKey(key));
  }

  /**
   * Removes a key as {@link #remove(String)} does. If the condition is not met, nothing of the
   * batch is written.
   */
  public Batch remove(String key, Condition condition) {
    return add(
        RemoveEntryOperation.newBuilder().setKey(key).setPrecondition(condition.toMessage()));
  }

  /** Returns the number of changes so far. */
  public int size() {
    return operations.size();
  }

  /**
   * Writes the changes atomically, at one revision. An empty batch is not sent, and its revision is
   * 0.
   *
   * @throws io.memoryd.client.error.RecordExistsException if a condition is not met
   * @throws io.memoryd.client.error.RecordNotFoundException if a condition is not met
   * @throws io.memoryd.client.error.RevisionMismatchException if a condition is not met
   */
  public BatchWriteEntriesResponse write() {
    if (operations.isEmpty()) {
      return BatchWriteEntriesResponse.getDefaultInstance();
    }
    BatchWriteEntriesRequest request =
        BatchWriteEntriesRequest.newBuilder()
            .setAgentId(place.agentId())
            .setScopeId(place.scopeId())
            .addAllOperations(operations)
            .build();
    return Connection.perform(() -> connection.workingMemory().batchWriteEntries(request));
  }

  private SetEntryOperation.Builder entry(
      String key, @Nullable Object value, EntryOptions options) {
    return options.toOperation(place).setKey(key).setValueJson(connection.values().write(value));
  }

  private Batch add(SetEntryOperation.Builder set) {
    operations.add(EntryOperation.newBuilder().setSet(set).build());
    return this;
  }

  private Batch add(RemoveEntryOperation.Builder remove) {
    operations.add(EntryOperation.newBuilder().setRemove(remove).build());
    return this;
  }
}
