package io.memoryd.client;

import java.util.Objects;

/**
 * JSON text that is stored byte for byte: spaces, the order of keys and the digits of numbers are
 * preserved. The daemon checks that it is JSON. Reading a value as this type returns its unchanged
 * text.
 *
 * @param text the JSON text (RFC 8259)
 */
public record Json(String text) {
  /** Wraps JSON text. */
  public Json {
    Objects.requireNonNull(text, "text");
  }
}
