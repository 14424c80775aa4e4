package io.memoryd.client;

import io.memoryd.v1.WatchEventsResponse;

/** One message of a watch, for those who want more than its events. */
public sealed interface WatchMessage {
  /**
   * A message of the daemon.
   *
   * @param response where the watch stands, and the events it tells
   */
  record Received(WatchEventsResponse response) implements WatchMessage {}

  /**
   * A message of this client: the connection broke during the initial state, which is now told
   * again from its beginning. Forget what it told so far.
   */
  record Restarted() implements WatchMessage {}
}
