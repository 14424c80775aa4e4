package io.memoryd.client;

/**
 * Selects the entries of a near cache to list. Immutable: each {@code with} method returns a copy.
 */
public final class NearListOptions {
  /** The own entries of the agent or scope. */
  public static final NearListOptions DEFAULT = new NearListOptions("", false);

  private final String keyPrefix;
  private final boolean inherited;

  private NearListOptions(String keyPrefix, boolean inherited) {
    this.keyPrefix = keyPrefix;
    this.inherited = inherited;
  }

  /** Selects the keys that start with this prefix. */
  public NearListOptions withKeyPrefix(String prefix) {
    return new NearListOptions(prefix, inherited);
  }

  /** Lists every entry that a read finds: the nearest one of each key, up to the root. */
  public NearListOptions withInherited() {
    return new NearListOptions(keyPrefix, true);
  }

  String keyPrefix() {
    return keyPrefix;
  }

  boolean isInherited() {
    return inherited;
  }

  /** Returns the options with which the daemon lists the same. */
  ListOptions toListOptions() {
    ListOptions options = ListOptions.DEFAULT.withKeyPrefix(keyPrefix);
    return inherited ? options.withInherited() : options;
  }
}
