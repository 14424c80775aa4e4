package io.memoryd.client;

/** What becomes of a key that both a scope and its parent have when the scope is merged. */
public enum MergeConflict {
  /** The scope's value replaces the parent's. */
  OVERWRITE,
  /** The parent keeps its value. */
  KEEP_PARENT
}
