package io.memoryd.client.error;

/** There is no such agent: nothing of it was ever stored, or it has ended. */
public final class AgentNotFoundException extends NotFoundException {
  AgentNotFoundException(CallFailure failure) {
    super(failure);
  }
}
