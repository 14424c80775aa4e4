package io.memoryd.client.error;

import java.util.OptionalLong;

/** The agent has such a record. */
public final class RecordExistsException extends AlreadyExistsException {
  RecordExistsException(CallFailure failure) {
    super(failure);
  }

  /** Returns the kind of record, such as {@code entry}. Empty if the daemon sent none. */
  public String kind() {
    return metadata().getOrDefault("kind", "");
  }

  /** Returns the record's id, the key of an entry. Empty if it was requested by another name. */
  public String recordId() {
    return metadata().getOrDefault("record_id", "");
  }

  /** Returns the revision that last changed the record. Empty if the daemon sent none. */
  public OptionalLong revision() {
    return number("revision");
  }
}
