package io.memoryd.client.error;

/**
 * The plan was completed or replaced, and does not change any more; {@link #metadata} has its
 * {@code plan_id}.
 */
public final class PlanEndedException extends FailedPreconditionException {
  PlanEndedException(CallFailure failure) {
    super(failure);
  }
}
