package io.memoryd.client;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The options of a {@link FragmentConsumer}. Immutable: each {@code with} method returns a copy.
 */
public final class FragmentConsumerOptions {
  private static final Logger LOG = System.getLogger(FragmentConsumer.class.getName());
  private static final int LIMIT = 10;
  private static final Duration LEASE = Duration.ofSeconds(10);

  /** The defaults. */
  public static final FragmentConsumerOptions DEFAULT =
      new FragmentConsumerOptions(
          LIMIT, LEASE, error -> LOG.log(Level.WARNING, "fragments are delivered again", error));

  private final int limit;
  private final Duration lease;
  private final Consumer<? super Exception> onError;

  private FragmentConsumerOptions(int limit, Duration lease, Consumer<? super Exception> onError) {
    this.limit = limit;
    this.lease = lease;
    this.onError = onError;
  }

  /** Maximum number of fragments that the handler receives together. Default: 10. */
  public FragmentConsumerOptions withLimit(int limit) {
    return new FragmentConsumerOptions(limit, lease, onError);
  }

  /** Sets the lease of the fragments, which is renewed while the handler runs. Default: 10 s. */
  public FragmentConsumerOptions withLease(Duration lease) {
    return new FragmentConsumerOptions(limit, Objects.requireNonNull(lease, "lease"), onError);
  }

  /**
   * Calls a function with each exception of the handler, and with each of the calls that are tried
   * again. Default: they are logged by {@link System.Logger}.
   */
  public FragmentConsumerOptions withOnError(Consumer<? super Exception> onError) {
    return new FragmentConsumerOptions(limit, lease, Objects.requireNonNull(onError, "onError"));
  }

  int limit() {
    return limit;
  }

  Duration lease() {
    return lease;
  }

  Consumer<? super Exception> onError() {
    return onError;
  }
}
