package io.memoryd.client.error;

/**
 * The agent's tier does not have a feature that the call uses. {@link #metadata} contains the
 * {@code feature} and the {@code tier}.
 */
public final class FeatureNotInTierException extends FailedPreconditionException {
  FeatureNotInTierException(CallFailure failure) {
    super(failure);
  }
}
