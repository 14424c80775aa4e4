package io.memoryd.client;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How {@link WorkingMemory#getOrSet} reserves the right to make a value. Immutable: each {@code
 * with} answers another one.
 *
 * @param lease how long the right holds when its holder dies: 100 ms to 10 minutes
 * @param patience how long to wait while others make the value; empty for as long as they do
 * @param entry what is said about the value that is made
 */
public record ReserveOptions(Duration lease, Optional<Duration> patience, EntryOptions entry) {
  /** A lease of 30 seconds, and patience for as long as it takes. */
  public static final ReserveOptions DEFAULT =
      new ReserveOptions(Duration.ofSeconds(30), Optional.empty(), EntryOptions.DEFAULT);

  /** Checks that all is there. */
  public ReserveOptions {
    Objects.requireNonNull(lease, "lease");
    Objects.requireNonNull(patience, "patience");
    Objects.requireNonNull(entry, "entry");
  }

  /**
   * Holds the right this long when its holder dies: 100 ms to 10 minutes. It is renewed while the
   * factory runs.
   */
  public ReserveOptions withLease(Duration duration) {
    return new ReserveOptions(duration, patience, entry);
  }

  /**
   * Waits this long at most while others make the value, then throws {@code
   * DeadlineExceededException}.
   */
  public ReserveOptions withPatience(Duration duration) {
    return new ReserveOptions(lease, Optional.of(duration), entry);
  }

  /** Says this about the value that is made. */
  public ReserveOptions withEntry(EntryOptions options) {
    return new ReserveOptions(lease, patience, options);
  }
}
