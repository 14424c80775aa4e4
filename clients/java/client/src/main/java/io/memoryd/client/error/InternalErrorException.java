package io.memoryd.client.error;

/**
 * The daemon has a defect, which its log describes, or sent a status that this client does not
 * know.
 */
public final class InternalErrorException extends CallFailedException {
  InternalErrorException(CallFailure failure) {
    super(failure);
  }
}
