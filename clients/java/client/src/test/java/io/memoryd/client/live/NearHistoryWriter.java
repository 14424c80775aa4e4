package io.memoryd.client.live;

import io.grpc.StatusRuntimeException;
import io.memoryd.client.Agent;
import io.memoryd.client.Batch;
import io.memoryd.client.EntryOptions;
import io.memoryd.client.MemorydClient;
import io.memoryd.client.Scope;
import io.memoryd.client.Transaction;
import io.memoryd.client.WorkingMemory;
import io.memoryd.client.error.AgentNotFoundException;
import io.memoryd.client.error.CallFailedException;
import io.memoryd.client.live.NearHistory.State;
import io.memoryd.client.live.NearHistory.Stored;
import io.memoryd.v1.CreateSnapshotRequest;
import io.memoryd.v1.Entry;
import io.memoryd.v1.RestoreSnapshotRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Changes an agent at random, and notes each state before and after it is acknowledged. */
final class NearHistoryWriter {
  static final List<String> KEYS = List.of("k0", "k1", "k2", "k3", "k4", "k5");

  private static final int SCOPES_MAX = 3;
  private static final Duration WHILE = Duration.ofMillis(20);

  private final NearHistory history = new NearHistory();
  private final List<Runnable> often =
      List.of(
          this::set,
          this::set,
          this::set,
          this::setForAWhile,
          this::remove,
          this::batch,
          this::transaction,
          this::openScope);
  private final List<Runnable> rare =
      List.of(this::merge, this::dispose, this::clear, this::save, this::restore, this::end);
  private final MemorydClient client;
  private final Agent agent;
  private final Random chance;
  private int numbers;
  private State saved;
  private String savedId;

  NearHistoryWriter(MemorydClient client, String agentId, long seed) {
    this.client = client;
    agent = client.agent(agentId);
    chance = new Random(seed);
  }

  NearHistory history() {
    return history;
  }

  /** Makes one change. */
  void change() {
    pick(chance, chance.nextDouble() < 0.75 ? often : rare).run();
  }

  static <T> T pick(Random chance, List<T> items) {
    return items.get(chance.nextInt(items.size()));
  }

  private void set() {
    String scopeId = place();
    String key = pick(chance, KEYS);
    Stored stored = number();
    make(
        state -> state.in(scopeId).put(key, stored),
        () -> memory(scopeId).set(key, stored.number()));
  }

  /** Sets an entry of the root: whether a merge still finds such an entry is not known here. */
  private void setForAWhile() {
    String key = pick(chance, KEYS);
    int number = number().number();
    EntryOptions options = EntryOptions.DEFAULT.withTtl(WHILE);
    make(
        state -> state.in(NearHistory.ROOT).put(key, new Stored(number, NearHistory.UNKNOWN)),
        () -> agent.set(key, number, options).getEntry(),
        (state, entry) -> state.in(NearHistory.ROOT).put(key, new Stored(number, expiryOf(entry))));
  }

  private void remove() {
    String scopeId = place();
    String key = pick(chance, KEYS);
    make(state -> state.in(scopeId).remove(key), () -> memory(scopeId).remove(key));
  }

  private void batch() {
    String scopeId = place();
    Map<String, Stored> stored = several();
    Batch batch = memory(scopeId).batch();
    stored.forEach((key, each) -> batch.set(key, each.number()));
    make(state -> state.in(scopeId).putAll(stored), batch::write);
  }

  private void transaction() {
    Map<String, Stored> stored = several();
    String scopeId = place();
    Transaction tx = agent.transaction();
    tx.clear();
    stored.forEach(
        (key, each) -> {
          if (scopeId.isEmpty()) {
            tx.set(key, each.number());
          } else {
            tx.attach(scopeId).set(key, each.number());
          }
        });
    make(
        state -> {
          state.in(NearHistory.ROOT).clear();
          state.in(scopeId).putAll(stored);
        },
        tx::commit);
  }

  private void openScope() {
    if (history.scopes().size() > SCOPES_MAX) {
      return;
    }
    // Nobody reads in a scope whose id is not known yet.
    String parentId = place();
    Scope scope = memory(parentId).scope("s");
    make(state -> state.create(scope.scopeId(), parentId), () -> scope);
  }

  private void merge() {
    onLeaf(scopeId -> make(state -> state.merge(scopeId), () -> agent.attach(scopeId).merge()));
  }

  private void dispose() {
    onLeaf(scopeId -> make(state -> state.dispose(scopeId), () -> agent.attach(scopeId).dispose()));
  }

  private void onLeaf(Consumer<String> change) {
    List<String> leaves = history.leaves();
    if (!leaves.isEmpty()) {
      change.accept(pick(chance, leaves));
    }
  }

  private void clear() {
    String scopeId = place();
    make(state -> state.in(scopeId).clear(), () -> memory(scopeId).clear());
  }

  private void save() {
    String snapshotId = "s" + number().number() + "-" + agent.agentId();
    CreateSnapshotRequest request =
        CreateSnapshotRequest.newBuilder()
            .setAgentId(agent.agentId())
            .setSnapshotId(snapshotId)
            .build();
    try {
      client.snapshotService().createSnapshot(request);
    } catch (StatusRuntimeException thrown) {
      if (CallFailedException.from(thrown) instanceof AgentNotFoundException) {
        return;
      }
      throw thrown;
    }
    saved = history.saved();
    savedId = snapshotId;
  }

  private void restore() {
    if (saved == null) {
      return;
    }
    RestoreSnapshotRequest request =
        RestoreSnapshotRequest.newBuilder()
            .setAgentId(agent.agentId())
            .setSnapshotId(savedId)
            .build();
    make(state -> state.become(saved), () -> client.snapshotService().restoreSnapshot(request));
  }

  private void end() {
    if (chance.nextBoolean()) {
      make(state -> state.become(new State()), agent::end);
    }
  }

  private void make(Consumer<State> alter, Supplier<?> change) {
    make(alter, change, (state, result) -> {});
  }

  private <T> void make(Consumer<State> alter, Supplier<T> change, BiConsumer<State, T> known) {
    State state = history.announce(alter);
    T result = change.get();
    history.acknowledge(state, acknowledged -> known.accept(acknowledged, result));
  }

  private Map<String, Stored> several() {
    List<String> keys = new ArrayList<>(KEYS);
    Collections.shuffle(keys, chance);
    Map<String, Stored> stored = new HashMap<>();
    keys.subList(0, 3).forEach(key -> stored.put(key, number()));
    return stored;
  }

  private Stored number() {
    return new Stored(++numbers, NearHistory.NEVER);
  }

  private String place() {
    return pick(chance, history.scopes());
  }

  private WorkingMemory memory(String scopeId) {
    return scopeId.isEmpty() ? agent : agent.attach(scopeId);
  }

  private static long expiryOf(Entry entry) {
    return entry.getExpireTime().getSeconds() * 1_000_000_000 + entry.getExpireTime().getNanos();
  }
}
