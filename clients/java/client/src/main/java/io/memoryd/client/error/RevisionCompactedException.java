package io.memoryd.client.error;

import java.util.OptionalLong;

/** The journal no longer retains the requested events: start a new watch. */
public final class RevisionCompactedException extends OutOfRangeException {
  RevisionCompactedException(CallFailure failure) {
    super(failure);
  }

  /** Returns the oldest retained revision. Empty unless the request was for exactly one agent. */
  public OptionalLong oldestRevision() {
    return number("oldest_revision");
  }
}
