package io.memoryd.client;

/** The part of the fragments' wrapper that is written by hand. */
abstract class Consuming extends Kind {
  Consuming(Connection connection, Place place) {
    super(connection, place);
  }

  /** Starts a consumer as {@link #consumer(FragmentHandler, FragmentConsumerOptions)} does. */
  public FragmentConsumer consumer(FragmentHandler handler) {
    return consumer(handler, FragmentConsumerOptions.DEFAULT);
  }

  /**
   * Starts a consumer, which delivers flushed fragments to a handler in a thread of its own, until
   * it is closed. Any number of consumers share the fragments.
   */
  public FragmentConsumer consumer(FragmentHandler handler, FragmentConsumerOptions options) {
    return FragmentConsumer.start(this, handler, options);
  }
}
