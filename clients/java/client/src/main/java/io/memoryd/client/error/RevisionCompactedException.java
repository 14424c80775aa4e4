package io.memoryd.client.error;

import java.util.OptionalLong;

/** The journal no longer retains the events that were asked for: begin the watch anew. */
public final class RevisionCompactedException extends OutOfRangeException {
  RevisionCompactedException(CallFailure failure) {
    super(failure);
  }

  /** The oldest revision that is retained; empty when more than one agent was asked for. */
  public OptionalLong oldestRevision() {
    return number("oldest_revision");
  }
}
