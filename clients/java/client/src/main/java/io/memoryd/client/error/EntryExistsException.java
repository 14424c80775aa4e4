package io.memoryd.client.error;

import java.util.OptionalLong;

/** The key has an entry. */
public final class EntryExistsException extends AlreadyExistsException {
  EntryExistsException(CallFailure failure) {
    super(failure);
  }

  /** Returns the revision that last wrote the entry. Empty if the daemon sent none. */
  public OptionalLong revision() {
    return number("revision");
  }
}
