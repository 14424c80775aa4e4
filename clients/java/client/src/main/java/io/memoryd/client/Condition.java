package io.memoryd.client;

import io.memoryd.v1.Precondition;

/**
 * A condition on the own entry of the agent or scope, not on an inherited one. If it is not met,
 * nothing is changed.
 */
public final class Condition {
  private final Precondition precondition;

  private Condition(Precondition precondition) {
    this.precondition = precondition;
  }

  /**
   * Returns the condition that there is no entry. If it is not met, the change throws {@link
   * io.memoryd.client.error.RecordExistsException}.
   */
  public static Condition mustNotExist() {
    return new Condition(Precondition.newBuilder().setMustNotExist(true).build());
  }

  /**
   * Returns the condition that there is an entry. If it is not met, the change throws {@link
   * io.memoryd.client.error.RecordNotFoundException}.
   */
  public static Condition mustExist() {
    return new Condition(Precondition.newBuilder().setMustExist(true).build());
  }

  /**
   * Returns the condition that the entry has this revision, where 0 means that there is none. If it
   * is not met, the change throws {@link io.memoryd.client.error.RevisionMismatchException}.
   */
  public static Condition expectedRevision(long revision) {
    return new Condition(Precondition.newBuilder().setExpectedRevision(revision).build());
  }

  Precondition toMessage() {
    return precondition;
  }
}
