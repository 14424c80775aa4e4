package io.memoryd.client.error;

import java.util.OptionalLong;

/** The daemon's store went back in time: commits that were acknowledged are gone. */
public final class HistoryLostException extends DataLossException {
  HistoryLostException(CallFailure failure) {
    super(failure);
  }

  /** The revision that was acknowledged. Empty when the daemon did not tell. */
  public OptionalLong knownRevision() {
    return number("known_revision");
  }

  /** The revision that is there. Empty when the daemon did not tell. */
  public OptionalLong actualRevision() {
    return number("actual_revision");
  }
}
