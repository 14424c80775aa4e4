package io.memoryd.client.error;

/** The daemon has no model to sum conversations up. */
public final class SummarizerMissingException extends FailedPreconditionException {
  SummarizerMissingException(CallFailure failure) {
    super(failure);
  }
}
