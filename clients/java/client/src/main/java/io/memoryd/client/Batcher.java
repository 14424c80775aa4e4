package io.memoryd.client;

import io.memoryd.v1.GetEntryRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** Sends the calls that several threads make within a window of time together. */
final class Batcher {
  private static final int CALLS_MAX = 1_000;
  // What the writes of a commit take. Others have room in its message.
  private static final int BYTES_MAX = 1 << 20;

  private final Connection connection;
  private final long windowNanos;
  private List<EntryCall<?>> waiting = new ArrayList<>();

  Batcher(Connection connection, Duration window) {
    this.connection = connection;
    windowNanos = window.toNanos();
  }

  /** Sends a call at the end of the window, which begins with the first call. */
  void add(EntryCall<?> call) {
    boolean isFirst;
    boolean isLast;
    synchronized (this) {
      waiting.add(call);
      isFirst = waiting.size() == 1;
      isLast = waiting.size() == CALLS_MAX;
    }
    if (isLast) {
      send();
    } else if (isFirst) {
      try {
        connection.timer().schedule(this::send, windowNanos, TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException closed) {
        send();
      }
    }
  }

  /** Returns the number of calls that wait. */
  synchronized int size() {
    return waiting.size();
  }

  private synchronized List<EntryCall<?>> take() {
    List<EntryCall<?>> taken = waiting;
    waiting = new ArrayList<>();
    return taken;
  }

  /** Sends the calls that wait. */
  void send() {
    Map<GetEntryRequest, List<EntryCall.Get>> gets = new LinkedHashMap<>();
    Map<String, List<EntryCall.Change<?>>> changes = new LinkedHashMap<>();
    for (EntryCall<?> call : take()) {
      if (call.result().isDone()) {
        continue; // It was cancelled.
      }
      if (call instanceof EntryCall.Get get) {
        GetEntryRequest place = get.request().toBuilder().clearKey().build();
        gets.computeIfAbsent(place, none -> new ArrayList<>()).add(get);
      } else if (call instanceof EntryCall.Change<?> change) {
        changes.computeIfAbsent(call.agentId(), none -> new ArrayList<>()).add(change);
      }
    }
    gets.values().forEach(each -> new GetBatch(connection, each).send());
    changes.values().forEach(this::sendChanges);
  }

  private void sendChanges(List<EntryCall.Change<?>> changes) {
    List<EntryCall.Change<?>> chunk = new ArrayList<>();
    int bytes = 0;
    for (EntryCall.Change<?> change : changes) {
      if (bytes + change.bytes() > BYTES_MAX && !chunk.isEmpty()) {
        new ChangeBatch(connection, chunk).send();
        chunk = new ArrayList<>();
        bytes = 0;
      }
      chunk.add(change);
      bytes += change.bytes();
    }
    new ChangeBatch(connection, chunk).send();
  }
}
