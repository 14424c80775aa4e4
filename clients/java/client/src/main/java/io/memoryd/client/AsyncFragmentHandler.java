package io.memoryd.client;

import java.util.concurrent.CompletionStage;

/** A {@link FragmentHandler} without blocking. It must be safe to repeat. */
@FunctionalInterface
public interface AsyncFragmentHandler {
  /**
   * Begins to handle some fragments, which leave the buffer when the stage completes, and are
   * delivered again if it completes exceptionally. The next ones are delivered after that.
   */
  CompletionStage<?> handle(FragmentDelivery delivery) throws Exception;
}
