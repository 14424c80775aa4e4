package io.memoryd.client;

import java.util.Objects;

/**
 * JSON text that stays byte for byte: its spaces, the order of its keys and the digits of its
 * numbers. Setting one stores its text as it is, which the daemon checks; reading one answers the
 * text as it was written.
 *
 * @param text the JSON text (RFC 8259)
 */
public record Json(String text) {
  /** Takes JSON text as it is. */
  public Json {
    Objects.requireNonNull(text, "text");
  }
}
