package io.memoryd.client.live;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** The states of an agent, oldest first. The last may be one that is not acknowledged yet. */
final class NearHistory {
  static final String ROOT = "";

  /** What is read for a key without a value. */
  static final int NO_VALUE = 0;

  /** What is read in a scope that there is not. */
  static final int NO_SCOPE = -1;

  /** The deadline of an entry that does not expire. */
  static final long NEVER = Long.MAX_VALUE;

  /** The deadline that the daemon has not returned yet. */
  static final long UNKNOWN = 0;

  private final List<State> states = new ArrayList<>();

  NearHistory() {
    states.add(new State());
  }

  /** Announces the state that a change makes. */
  synchronized State announce(Consumer<State> change) {
    State state = last().copy();
    change.accept(state);
    states.add(state);
    return state;
  }

  /**
   * Notes that the change to a state was acknowledged, after it is altered by what is known now.
   */
  synchronized void acknowledge(State state, Consumer<State> known) {
    known.accept(state);
    state.acked = true;
    state.ackedAt = System.nanoTime();
  }

  /** Returns the position of the newest state that was acknowledged at least this long ago. */
  synchronized int floor(long nanos) {
    long before = System.nanoTime() - nanos;
    int index = states.size() - 1;
    while (index > 0 && !(states.get(index).acked && states.get(index).ackedAt - before < 0)) {
      index--;
    }
    return index;
  }

  /** Returns whether one state from a position on explains all that was read between two times. */
  synchronized boolean explains(
      int floor, String scopeId, Map<String, Integer> seen, long begin, long end) {
    return states.subList(floor, states.size()).stream()
        .anyMatch(
            state ->
                seen.entrySet().stream()
                    .allMatch(
                        read ->
                            state.mayRead(read.getValue(), scopeId, read.getKey(), begin, end)));
  }

  synchronized List<String> scopes() {
    return List.copyOf(new TreeSet<>(last().values.keySet()));
  }

  /** Returns the scopes without scopes below them, without the root. */
  synchronized List<String> leaves() {
    Map<String, String> parents = last().parents;
    Set<String> leaves = new TreeSet<>(parents.keySet());
    leaves.removeAll(parents.values());
    return List.copyOf(leaves);
  }

  synchronized State saved() {
    return last().copy();
  }

  private State last() {
    return states.get(states.size() - 1);
  }

  /** The number under a key, and when it expires, in nanoseconds since the epoch. */
  record Stored(int number, long expireAt) {}

  /** An agent between two changes. */
  static final class State {
    private final Map<String, Map<String, Stored>> values = new HashMap<>();
    private final Map<String, String> parents = new HashMap<>();
    private boolean acked;
    private long ackedAt;

    State() {
      values.put(ROOT, new HashMap<>());
    }

    State copy() {
      State copied = new State();
      copied.become(this);
      return copied;
    }

    /** Takes over another state. */
    void become(State other) {
      values.clear();
      other.values.forEach((scopeId, entries) -> values.put(scopeId, new HashMap<>(entries)));
      parents.clear();
      parents.putAll(other.parents);
    }

    Map<String, Stored> in(String scopeId) {
      return values.get(scopeId);
    }

    void create(String scopeId, String parentId) {
      values.put(scopeId, new HashMap<>());
      parents.put(scopeId, parentId);
    }

    void merge(String scopeId) {
      in(parents.get(scopeId)).putAll(in(scopeId));
      dispose(scopeId);
    }

    void dispose(String scopeId) {
      values.remove(scopeId);
      parents.remove(scopeId);
    }

    /** Returns whether a look-up between two times of the wall clock may return a number. */
    private boolean mayRead(int number, String scopeId, String key, long begin, long end) {
      for (String place = scopeId; values.containsKey(place); place = parents.get(place)) {
        Stored found = in(place).get(key);
        if (found != null && (found.expireAt == UNKNOWN || begin < found.expireAt)) {
          if (number == found.number) {
            return true;
          }
          if (found.expireAt != UNKNOWN && end < found.expireAt) {
            return false;
          }
        }
        if (place.equals(ROOT)) {
          return number == NO_VALUE;
        }
      }
      return number == NO_SCOPE;
    }
  }
}
