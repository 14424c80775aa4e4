package io.memoryd.client.error;

/** The scope has ended. {@link #metadata} contains its {@code scope_id} and {@code scope_name}. */
public final class ScopeDisposedException extends FailedPreconditionException {
  ScopeDisposedException(CallFailure failure) {
    super(failure);
  }
}
