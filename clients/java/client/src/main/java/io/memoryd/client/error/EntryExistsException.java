package io.memoryd.client.error;

import java.util.OptionalLong;

/** The key has an entry. */
public final class EntryExistsException extends AlreadyExistsException {
  EntryExistsException(CallFailure failure) {
    super(failure);
  }

  /** The revision that last wrote the entry. Empty when the daemon did not tell. */
  public OptionalLong revision() {
    return number("revision");
  }
}
