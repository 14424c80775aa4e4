package io.memoryd.client.error;

/**
 * The plan was completed or replaced, and cannot change until it is reopened. {@link #metadata}
 * contains its {@code plan_id}.
 */
public final class PlanEndedException extends FailedPreconditionException {
  PlanEndedException(CallFailure failure) {
    super(failure);
  }
}
