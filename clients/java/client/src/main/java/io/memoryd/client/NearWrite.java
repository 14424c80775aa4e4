package io.memoryd.client;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.memoryd.v1.RestoreSnapshotRequest;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** A change that a client makes, and what the near caches had before it. */
final class NearWrite {
  // What a near cache had that was opened after the write began.
  private static final Mark BEGINNING = new Mark(0, 0);
  // The response to a change of all agents has no revision: a proof, or another load, shows that a
  // near cache has it.
  private static final Mark UNKNOWN = new Mark(Long.MAX_VALUE, 0);

  private final NearCopies copies;
  private final Map<NearCopy, Mark> before = new HashMap<>();
  private final Queue<CompletableFuture<Boolean>> waits = new ConcurrentLinkedQueue<>();
  private Object request;
  private volatile boolean givenUp;

  NearWrite(NearCopies copies) {
    this.copies = copies;
  }

  /** Begins with the request, before it is sent. */
  void begin(Object message) {
    request = message;
    if (!copies.isEmpty()) {
      copies.of(changedAgent()).forEach(each -> before.put(each, each.state().reached()));
    }
  }

  /**
   * Returns a future that ends once the near caches have what the response says, or ask the daemon
   * until they have it.
   */
  CompletableFuture<Void> end(Object response) {
    if (copies.isEmpty() || Boolean.TRUE.equals(field(request, "dry_run"))) {
      return CompletableFuture.completedFuture(null);
    }
    String agentId = changedAgent();
    if (agentId.isEmpty() && request instanceof RestoreSnapshotRequest) {
      copies.ofAll().forEach(each -> each.state().owe(UNKNOWN));
    } else if (field(response, "revision") instanceof Long revision && revision > 0) {
      return CompletableFuture.allOf(
          copies.of(agentId).stream()
              .map(each -> see(each.state(), markOf(each, revision)))
              .toArray(CompletableFuture<?>[]::new));
    }
    return CompletableFuture.completedFuture(null);
  }

  /** Ends the wait for the near caches, which then ask the daemon until they have the write. */
  void giveUp() {
    givenUp = true;
    waits.forEach(each -> each.complete(false));
  }

  private CompletableFuture<Void> see(NearState state, Mark written) {
    if (!state.expects(written)) {
      state.owe(written);
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Boolean> wait = state.reach(written);
    waits.add(wait);
    if (givenUp) {
      wait.complete(false);
    }
    return wait.thenAccept(
        reached -> {
          if (!reached) {
            state.owe(written);
          }
        });
  }

  private Mark markOf(NearCopy copy, long revision) {
    return Mark.of(revision, before.getOrDefault(copy, BEGINNING));
  }

  /** Returns the id of the agent that the request changes; empty if it changes none, or all. */
  private String changedAgent() {
    Object clone = field(request, "as_agent_id");
    Object named = field(request, "agent_id");
    if (clone instanceof String id && !id.isEmpty()) {
      return id;
    }
    return named instanceof String id ? id : "";
  }

  /** Returns the value of a field, or null if there is none. */
  private static @Nullable Object field(Object message, String name) {
    if (!(message instanceof Message found)) {
      return null;
    }
    FieldDescriptor field = found.getDescriptorForType().findFieldByName(name);
    return field == null ? null : found.getField(field);
  }
}
