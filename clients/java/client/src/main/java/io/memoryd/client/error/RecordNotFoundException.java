package io.memoryd.client.error;

/** The agent has no such record, such as a note or a scope, or has forgotten the memory. */
public final class RecordNotFoundException extends NotFoundException {
  RecordNotFoundException(CallFailure failure) {
    super(failure);
  }

  /** Returns the kind of record, such as {@code plan_step}. Empty if the daemon sent none. */
  public String kind() {
    return metadata().getOrDefault("kind", "");
  }

  /** Returns the record's id, the key of an entry. Empty if it was requested by another name. */
  public String recordId() {
    return metadata().getOrDefault("record_id", "");
  }
}
