package io.memoryd.client.error;

import java.util.OptionalLong;

/** The expected revision is not the actual one: read, decide and write again. */
public final class RevisionMismatchException extends AbortedException {
  RevisionMismatchException(CallFailure failure) {
    super(failure);
  }

  /** Returns the revision that the caller expected. Empty if the daemon sent none. */
  public OptionalLong expectedRevision() {
    return number("expected_revision");
  }

  /** Returns the actual revision, 0 if there is no entry. Empty if the daemon sent none. */
  public OptionalLong actualRevision() {
    return number("actual_revision");
  }
}
