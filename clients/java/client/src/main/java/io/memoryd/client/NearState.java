package io.memoryd.client;

import io.memoryd.client.error.CacheFullException;
import io.memoryd.client.error.StaleReadException;
import io.memoryd.v1.WatchEventsResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The mirror of a near cache, how current it is, and who waits for it. Safe to share among threads:
 * a read takes no lock unless the mirror changes meanwhile.
 */
final class NearState {
  // Before every time.
  private static final long NOT_FRESH = -1;
  private static final long STARTED = System.nanoTime();

  private final String agentId;
  private final NearCacheOptions options;
  private final StampedLock lock = new StampedLock();

  // Guarded by lock, from here on. Times are in nanoseconds since STARTED.
  private final List<Wait> waits = new ArrayList<>();
  private Mirror mirror;
  // The last time at which the mirror had all changes.
  private long freshAt = NOT_FRESH;
  // The time until which the mirror is known to have all changes that it has to have.
  private long freshUntil = NOT_FRESH;
  private @Nullable Debt debt;
  private @Nullable Proof proof;
  private @Nullable RuntimeException failure;
  private boolean closed;

  NearState(String agentId, NearCacheOptions options) {
    this.agentId = agentId;
    this.options = options;
    mirror = newMirror();
  }

  /** Returns the current time. */
  static long now() {
    return System.nanoTime() - STARTED;
  }

  /** Returns an empty mirror for this cache. */
  Mirror newMirror() {
    return new Mirror(options.bytesMax(), 0, MirroredEntry.Clock.SYSTEM);
  }

  /**
   * Reads the mirror, unless the daemon is to be asked. Then it returns null, as {@code reading}
   * does for what the mirror does not hold.
   *
   * @throws StaleReadException if stale reads are to be refused
   */
  <T> @Nullable T read(Function<Mirror, @Nullable T> reading) {
    long stamp = lock.tryOptimisticRead();
    if (stamp != 0 && now() <= freshUntil) {
      T found = reading.apply(mirror);
      if (lock.validate(stamp)) {
        return found;
      }
    }
    return locked(() -> mayServe() ? reading.apply(mirror) : null);
  }

  /** Returns what the mirror has reached. */
  Mark reached() {
    return locked(() -> Mark.at(mirror));
  }

  /** Returns whether the mirror will have a state soon. */
  boolean expects(Mark written) {
    // It will not while it is being loaded. A state of a later life is either of another store, or
    // the response to a repeated request, which the next proof finds out.
    return locked(() -> mirror.isComplete() && written.lives() <= mirror.lives());
  }

  /** Returns whether a call is to find out how current the mirror is. */
  boolean needsProof() {
    return locked(() -> mirror.isComplete() && (options.isBounded() || debt != null));
  }

  boolean isComplete() {
    return locked(() -> mirror.isComplete());
  }

  long revision() {
    return locked(() -> mirror.revision());
  }

  long sizeBytes() {
    return locked(() -> mirror.sizeBytes());
  }

  /** Returns the time within which changes may be missing; empty if that is not known. */
  Optional<Duration> staleness() {
    long at = locked(() -> freshAt);
    return at == NOT_FRESH ? Optional.empty() : Optional.of(Duration.ofNanos(now() - at));
  }

  /** Returns the error that ended the watch, or null. */
  @Nullable RuntimeException failure() {
    return locked(() -> failure);
  }

  /**
   * Returns a future that is true once the mirror has reached a state, and false once that is no
   * longer awaited.
   */
  CompletableFuture<Boolean> reach(Mark mark) {
    Wait wait = new Wait(mark, new CompletableFuture<>());
    change(() -> waits.add(wait));
    return wait.end;
  }

  /** Applies a message of the watch. */
  void apply(WatchEventsResponse message) {
    change(() -> mirror.apply(message));
  }

  /** Uses a mirror whose watch has begun at a time. */
  void replace(Mirror loaded, long began) {
    change(
        () -> {
          if (closed) {
            return;
          }
          loaded.follow(mirror);
          mirror = loaded;
          proven(began);
        });
  }

  /**
   * Takes note of the state that the daemon returned to a call which began at a time. Once the
   * mirror has it, it was complete then.
   */
  void prove(Mark mark, long began) {
    change(() -> proof = new Proof(mark, began));
  }

  /** Takes note of a write that has returned, and that the mirror may not have. */
  void owe(Mark written) {
    change(
        () -> {
          Mark last = debt == null ? written : written.later(debt.mark);
          debt = new Debt(last, now());
          freshUntil = NOT_FRESH;
        });
  }

  /** Takes note of the error that has ended the watch. */
  void fail(RuntimeException error) {
    change(
        () -> {
          failure = error;
          if (error instanceof CacheFullException) {
            // Its memory is what the caller wanted to bound.
            forget();
          }
        });
  }

  /** Removes the records. From then on, reads ask the daemon. */
  void close() {
    change(
        () -> {
          closed = true;
          forget();
        });
  }

  private void forget() {
    mirror = newMirror();
    proof = null;
    freshAt = NOT_FRESH;
    freshUntil = NOT_FRESH;
  }

  private <T> T locked(Supplier<T> reading) {
    long stamp = lock.readLock();
    try {
      return reading.get();
    } finally {
      lock.unlockRead(stamp);
    }
  }

  /** Makes a change, and ends the waits of which it is the last. */
  private void change(Runnable change) {
    Map<Wait, Boolean> over = new HashMap<>();
    long stamp = lock.writeLock();
    try {
      change.run();
    } finally {
      settle();
      for (Wait wait : waits) {
        boolean reached = wait.mark.isReachedBy(mirror);
        if (reached || closed || failure != null || wait.end.isDone()) {
          over.put(wait, reached);
        }
      }
      waits.removeAll(over.keySet());
      lock.unlockWrite(stamp);
      // Who waits goes on while the lock is not held.
      over.forEach((wait, reached) -> wait.end.complete(reached));
    }
  }

  /** Ends the debt and the proof that the mirror has reached. */
  private void settle() {
    if (proof != null && proof.mark.isReachedBy(mirror)) {
      proven(proof.began);
      proof = null;
    }
    if (debt != null && debt.mark.isReachedBy(mirror)) {
      debt = null;
      setFreshUntil();
    }
  }

  /** Takes note that the mirror has all that was committed before a time. */
  private void proven(long began) {
    // What was owed before then is in the mirror, or was lost by the daemon.
    if (debt != null && debt.at < began) {
      debt = null;
    }
    freshAt = Math.max(freshAt, began);
    setFreshUntil();
  }

  private void setFreshUntil() {
    if (debt != null || freshAt == NOT_FRESH) {
      freshUntil = NOT_FRESH;
    } else if (options.stalenessNanos() >= Long.MAX_VALUE - freshAt) {
      freshUntil = Long.MAX_VALUE;
    } else {
      freshUntil = freshAt + options.stalenessNanos();
    }
  }

  private boolean mayServe() {
    if (now() <= freshUntil) {
      return true;
    }
    return switch (options.whenStale()) {
      case ASK -> false;
      case REFUSE -> throw staleRead();
      // A write of this client is never missing, however stale the reads may be.
      case SERVE -> debt == null && mirror.isComplete();
    };
  }

  private StaleReadException staleRead() {
    String lack =
        options.isBounded()
            ? "be older than " + Duration.ofNanos(options.stalenessNanos()).toMillis() + " ms"
            : "miss a write of this client";
    return new StaleReadException("the near cache of \"" + agentId + "\" may " + lack, failure);
  }

  /** Who waits for a state. */
  private record Wait(Mark mark, CompletableFuture<Boolean> end) {}

  /** What the mirror owes, and the last time at which a write of it had returned. */
  private record Debt(Mark mark, long at) {}

  /** A state that the daemon has returned to a call which began at a time. */
  private record Proof(Mark mark, long began) {}
}
