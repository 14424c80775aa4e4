package io.memoryd.client.error;

import java.util.OptionalLong;

/** The daemon's store has lost acknowledged commits, as after a failover or a restore. */
public final class HistoryLostException extends DataLossException {
  HistoryLostException(CallFailure failure) {
    super(failure);
  }

  /** Returns the revision that was acknowledged. Empty if the daemon sent none. */
  public OptionalLong knownRevision() {
    return number("known_revision");
  }

  /** Returns the actual revision. Empty if the daemon sent none. */
  public OptionalLong actualRevision() {
    return number("actual_revision");
  }
}
