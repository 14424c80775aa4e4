package io.memoryd.client;

import java.util.concurrent.ExecutionException;

/** The part of the fragments' wrapper without blocking that is written by hand. */
abstract class AsyncConsuming extends AsyncKind {
  AsyncConsuming(Connection connection, Place place) {
    super(connection, place);
  }

  /** Starts a consumer as {@link #consumer(AsyncFragmentHandler, FragmentConsumerOptions)} does. */
  public FragmentConsumer consumer(AsyncFragmentHandler handler) {
    return consumer(handler, FragmentConsumerOptions.DEFAULT);
  }

  /**
   * Starts a consumer as {@link Fragments#consumer(FragmentHandler, FragmentConsumerOptions)} does,
   * whose handler does not block. {@link FragmentConsumer#closeAsync} ends it without blocking.
   */
  public FragmentConsumer consumer(AsyncFragmentHandler handler, FragmentConsumerOptions options) {
    return FragmentConsumer.start(this, delivery -> await(handler, delivery), options);
  }

  /** Waits in the thread of the consumer, which has nothing else to do. */
  private static void await(AsyncFragmentHandler handler, FragmentDelivery delivery)
      throws Exception {
    try {
      handler.handle(delivery).toCompletableFuture().get();
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof Error error) {
        throw error;
      }
      throw failed.getCause() instanceof Exception error ? error : failed;
    }
  }
}
