package io.memoryd.client;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** The options of a near cache. Immutable: each {@code with} method returns a copy. */
public final class NearCacheOptions {
  /** No bound of staleness, in nanoseconds. */
  static final long UNBOUNDED = Long.MAX_VALUE;

  private static final Duration STALENESS_MIN = Duration.ofMillis(100);
  private static final long STALENESS_NANOS = Duration.ofSeconds(5).toNanos();
  private static final long BYTES_MAX = 64L << 20;
  // How many times a cache finds out how current it is, within the staleness that it may have.
  private static final int PROOFS = 3;

  /**
   * The whole agent with its notes, in at most 64 MiB. Reads have all changes that were committed 5
   * seconds before; otherwise they ask the daemon.
   */
  public static final NearCacheOptions DEFAULT =
      new NearCacheOptions(STALENESS_NANOS, StaleRead.ASK, "", "", true, BYTES_MAX);

  private final long stalenessNanos;
  private final StaleRead whenStale;
  private final String scopeId;
  private final String keyPrefix;
  private final boolean notes;
  private final long bytesMax;

  private NearCacheOptions(
      long stalenessNanos,
      StaleRead whenStale,
      String scopeId,
      String keyPrefix,
      boolean notes,
      long bytesMax) {
    this.stalenessNanos = stalenessNanos;
    this.whenStale = whenStale;
    this.scopeId = scopeId;
    this.keyPrefix = keyPrefix;
    this.notes = notes;
    this.bytesMax = bytesMax;
  }

  /**
   * Bounds the staleness: each read has all changes that were committed at least this long before
   * it.
   *
   * @throws IllegalArgumentException if it is less than 100 milliseconds
   */
  public NearCacheOptions withMaxStaleness(Duration staleness) {
    if (staleness.compareTo(STALENESS_MIN) < 0) {
      throw new IllegalArgumentException(
          "the maximum staleness must be at least 100 ms, not " + staleness);
    }
    long nanos = TimeUnit.NANOSECONDS.convert(staleness);
    return new NearCacheOptions(nanos, whenStale, scopeId, keyPrefix, notes, bytesMax);
  }

  /**
   * Gives the staleness no bound: the cache makes no calls to find out how current it is, and reads
   * have the changes of others once they arrive.
   */
  public NearCacheOptions withAnyStaleness() {
    return new NearCacheOptions(UNBOUNDED, whenStale, scopeId, keyPrefix, notes, bytesMax);
  }

  /** Sets what reads do while the cache may be older than its bound. Default: {@code ASK}. */
  public NearCacheOptions withWhenStale(StaleRead read) {
    Objects.requireNonNull(read, "read");
    return new NearCacheOptions(stalenessNanos, read, scopeId, keyPrefix, notes, bytesMax);
  }

  /** Holds only this scope, those below it, and those that it inherits from. */
  public NearCacheOptions withScope(String id) {
    Objects.requireNonNull(id, "id");
    return new NearCacheOptions(stalenessNanos, whenStale, id, keyPrefix, notes, bytesMax);
  }

  /** Holds only the entries whose keys start with this prefix. Others are read from the daemon. */
  public NearCacheOptions withKeyPrefix(String prefix) {
    Objects.requireNonNull(prefix, "prefix");
    return new NearCacheOptions(stalenessNanos, whenStale, scopeId, prefix, notes, bytesMax);
  }

  /** Holds no notes: they are read from the daemon. */
  public NearCacheOptions withoutNotes() {
    return new NearCacheOptions(stalenessNanos, whenStale, scopeId, keyPrefix, false, bytesMax);
  }

  /**
   * Limits the memory that the records take, roughly: in bytes, by default 64 MiB. A cache that
   * would take more cannot be opened. One that grows beyond it later forgets its records, and its
   * reads ask the daemon, or are refused with {@link StaleRead#REFUSE}.
   *
   * @throws IllegalArgumentException unless it is positive
   */
  public NearCacheOptions withMaxBytes(long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException(
          "the maximum number of bytes must be positive, not " + bytes);
    }
    return new NearCacheOptions(stalenessNanos, whenStale, scopeId, keyPrefix, notes, bytes);
  }

  long stalenessNanos() {
    return stalenessNanos;
  }

  boolean isBounded() {
    return stalenessNanos != UNBOUNDED;
  }

  /** Returns the nanoseconds between two calls that find out how current the cache is. */
  long proofIntervalNanos() {
    return (isBounded() ? stalenessNanos : STALENESS_NANOS) / PROOFS;
  }

  StaleRead whenStale() {
    return whenStale;
  }

  String scopeId() {
    return scopeId;
  }

  String keyPrefix() {
    return keyPrefix;
  }

  boolean hasNotes() {
    return notes;
  }

  long bytesMax() {
    return bytesMax;
  }
}
