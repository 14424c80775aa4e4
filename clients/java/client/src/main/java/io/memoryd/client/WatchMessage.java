package io.memoryd.client;

import io.memoryd.v1.WatchEventsResponse;

/** One message of a watch: its events and their phase. */
public sealed interface WatchMessage {
  /**
   * A message of the daemon.
   *
   * @param response the phase of the watch, and events
   */
  record Received(WatchEventsResponse response) implements WatchMessage {}

  /**
   * A message of this client: the connection broke during the initial state, which is sent again
   * from its beginning. Discard what was received of it so far.
   */
  record Restarted() implements WatchMessage {}
}
