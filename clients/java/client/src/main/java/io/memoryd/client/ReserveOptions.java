package io.memoryd.client;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * The options of {@link WorkingMemory#getOrSet}. Immutable: each {@code with} method returns a
 * copy.
 *
 * @param lease the lease of the reservation, from 100 ms to 10 minutes
 * @param patience the time to wait for another caller's value; empty means no limit
 * @param entry the attributes of the entry that is stored
 */
public record ReserveOptions(Duration lease, Optional<Duration> patience, EntryOptions entry) {
  /** A lease of 10 seconds, and no limit of the wait. */
  public static final ReserveOptions DEFAULT =
      new ReserveOptions(Duration.ofSeconds(10), Optional.empty(), EntryOptions.DEFAULT);

  /** Checks that nothing is null. */
  public ReserveOptions {
    Objects.requireNonNull(lease, "lease");
    Objects.requireNonNull(patience, "patience");
    Objects.requireNonNull(entry, "entry");
  }

  /**
   * Sets the lease of the reservation, from 100 ms to 10 minutes. It is renewed while the factory
   * runs. If the process that runs it dies, another caller takes over when the lease expires.
   */
  public ReserveOptions withLease(Duration duration) {
    return new ReserveOptions(duration, patience, entry);
  }

  /**
   * Sets the time to wait for another caller's value, after which {@code DeadlineExceededException}
   * is thrown.
   */
  public ReserveOptions withPatience(Duration duration) {
    return new ReserveOptions(lease, Optional.of(duration), entry);
  }

  /** Sets the attributes of the entry that is stored. */
  public ReserveOptions withEntry(EntryOptions options) {
    return new ReserveOptions(lease, patience, options);
  }
}
