package io.memoryd.client.error;

/** The snapshot is of another agent. */
public final class SnapshotAgentMismatchException extends FailedPreconditionException {
  SnapshotAgentMismatchException(CallFailure failure) {
    super(failure);
  }
}
