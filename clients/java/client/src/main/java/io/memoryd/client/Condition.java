package io.memoryd.client;

import io.memoryd.v1.Precondition;

/**
 * A condition of a change. If it is not met, nothing is changed.
 *
 * <p>A condition of a set or a removal is about the own entry of the agent or scope, not about an
 * inherited one. One of a new scope is about the active scope of its name directly under the same
 * parent. One of {@link WorkingMemory#clear}, {@link Scope#merge}, {@link Scope#dispose} and {@link
 * Agent#end} is about the agent, whose revision is that of its last change. The options of other
 * kinds of memory have one on their record and one on the agent.
 */
public final class Condition {
  private final Precondition precondition;

  private Condition(Precondition precondition) {
    this.precondition = precondition;
  }

  /**
   * Returns the condition that there is none. If it is not met, the change throws {@link
   * io.memoryd.client.error.RecordExistsException}.
   */
  public static Condition mustNotExist() {
    return new Condition(Precondition.newBuilder().setMustNotExist(true).build());
  }

  /**
   * Returns the condition that there is one. If it is not met, the change throws {@link
   * io.memoryd.client.error.RecordNotFoundException}, or {@link
   * io.memoryd.client.error.AgentNotFoundException} if it is about the agent.
   */
  public static Condition mustExist() {
    return new Condition(Precondition.newBuilder().setMustExist(true).build());
  }

  /**
   * Returns the condition that it has this revision, where 0 means that there is none. If it is not
   * met, the change throws {@link io.memoryd.client.error.RevisionMismatchException}.
   */
  public static Condition expectedRevision(long revision) {
    return new Condition(Precondition.newBuilder().setExpectedRevision(revision).build());
  }

  Precondition toMessage() {
    return precondition;
  }
}
