package io.memoryd.client.error;

/** There is no such agent: none of its memory was ever set, or it has ended. */
public final class AgentNotFoundException extends NotFoundException {
  AgentNotFoundException(CallFailure failure) {
    super(failure);
  }
}
