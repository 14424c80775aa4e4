package io.memoryd.client;

import io.memoryd.v1.Precondition;

/**
 * What must hold for the entry in this very place, not for an inherited one; else nothing is
 * changed.
 */
public final class Condition {
  private final Precondition precondition;

  private Condition(Precondition precondition) {
    this.precondition = precondition;
  }

  /** There is no entry; else {@link io.memoryd.client.error.EntryExistsException}. */
  public static Condition mustNotExist() {
    return new Condition(Precondition.newBuilder().setMustNotExist(true).build());
  }

  /**
   * The entry has this revision, 0 meaning that there is none; else {@link
   * io.memoryd.client.error.RevisionMismatchException}.
   */
  public static Condition expectedRevision(long revision) {
    return new Condition(Precondition.newBuilder().setExpectedRevision(revision).build());
  }

  Precondition toMessage() {
    return precondition;
  }
}
