package io.memoryd.client;

/**
 * Makes a value that is not there yet.
 *
 * @param <T> the type of the value
 * @param <X> what making it may throw; {@code RuntimeException} for a lambda that throws nothing
 *     checked
 */
@FunctionalInterface
public interface ValueFactory<T, X extends Exception> {
  /** Makes the value. */
  T make() throws X;
}
