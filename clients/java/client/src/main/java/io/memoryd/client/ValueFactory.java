package io.memoryd.client;

import org.jspecify.annotations.Nullable;

/**
 * Makes a missing value.
 *
 * @param <T> the type of the value
 * @param <X> the checked exception that the factory may throw; {@code RuntimeException} if none
 */
@FunctionalInterface
public interface ValueFactory<T extends @Nullable Object, X extends Exception> {
  /** Makes the value. */
  T make() throws X;
}
