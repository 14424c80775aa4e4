package io.memoryd.client;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A change that a {@link Transaction} has collected. */
public final class Written<T> {
  private @Nullable T result;
  private boolean committed;

  Written() {}

  /** Returns true once the transaction is committed. */
  public boolean isCommitted() {
    return committed;
  }

  /**
   * Returns the result of the change.
   *
   * @throws IllegalStateException unless the transaction is committed
   */
  public T result() {
    if (!committed) {
      throw new IllegalStateException(
          "the transaction is not committed: read the result after commit()");
    }
    return result;
  }

  <S> void settle(S response, Function<? super S, ? extends T> reader) {
    result = reader.apply(response);
    committed = true;
  }
}
