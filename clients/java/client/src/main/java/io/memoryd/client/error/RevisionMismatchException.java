package io.memoryd.client.error;

import java.util.OptionalLong;

/** The expected revision does not hold: read again, decide again, write again. */
public final class RevisionMismatchException extends AbortedException {
  RevisionMismatchException(CallFailure failure) {
    super(failure);
  }

  /** The revision that the caller expected. Empty when the daemon did not tell. */
  public OptionalLong expectedRevision() {
    return number("expected_revision");
  }

  /** The revision that is there; 0 when nothing is. Empty when the daemon did not tell. */
  public OptionalLong actualRevision() {
    return number("actual_revision");
  }
}
