package io.memoryd.client;

/** Handles the fragments that a {@link FragmentConsumer} delivers. It must be safe to repeat. */
@FunctionalInterface
public interface FragmentHandler {
  /**
   * Handles some fragments, which leave the buffer when it returns, and are delivered again if it
   * throws an exception.
   */
  void handle(FragmentDelivery delivery) throws Exception;
}
