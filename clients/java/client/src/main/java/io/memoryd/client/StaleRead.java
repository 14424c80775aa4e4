package io.memoryd.client;

/**
 * What a read of a near cache does while the cache may be older than {@link
 * NearCacheOptions#withMaxStaleness} allows, as when the daemon cannot be reached.
 */
public enum StaleRead {
  /** The daemon answers the read. */
  ASK,
  /** The read throws {@link io.memoryd.client.error.StaleReadException}. */
  REFUSE,
  /** The read returns what the cache has. */
  SERVE
}
