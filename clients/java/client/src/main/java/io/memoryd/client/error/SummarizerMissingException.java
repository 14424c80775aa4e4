package io.memoryd.client.error;

/** The daemon has no model that summarizes conversations. */
public final class SummarizerMissingException extends FailedPreconditionException {
  SummarizerMissingException(CallFailure failure) {
    super(failure);
  }
}
