package io.memoryd.client;

/** Selects which value remains if a merged scope and its parent have values under the same key. */
public enum MergeConflict {
  /** The scope's value replaces the parent's. */
  OVERWRITE,
  /** The parent's value is kept. */
  KEEP_PARENT
}
