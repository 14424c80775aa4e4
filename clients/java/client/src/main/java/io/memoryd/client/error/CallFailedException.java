package io.memoryd.client.error;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A call that the daemon refused, or that never reached it. */
public non-sealed class CallFailedException extends MemorydException {
  private final CallFailure failure;

  CallFailedException(CallFailure failure) {
    super(failure.message(), failure.cause());
    this.failure = failure;
  }

  /**
   * Answers the error, of the most particular class, for what a generated stub threw. The layer's
   * own methods throw no other; this is for those who call the stubs.
   */
  public static CallFailedException from(StatusRuntimeException thrown) {
    return ErrorTable.error(thrown.getStatus(), thrown.getTrailers(), thrown);
  }

  /**
   * Answers the error, of the most particular class, for the end of a call. {@code trailers} may be
   * null.
   */
  public static CallFailedException from(Status status, Metadata trailers) {
    return ErrorTable.error(status, trailers, status.getCause());
  }

  /** The status code of the call. */
  public Status.Code code() {
    return failure.code();
  }

  /**
   * The name of the {@link io.memoryd.v1.ErrorReason}, such as {@code ERROR_REASON_SCOPE_DISPOSED}.
   * Blank when the daemon gave none, and when the call did not reach it.
   */
  public String reason() {
    return failure.reason();
  }

  /** The particulars that the reason's comment lists. */
  public Map<String, String> metadata() {
    return failure.metadata();
  }

  /** For each field of the request that is not allowed, what is wrong with it. */
  public Map<String, String> fields() {
    return failure.fields();
  }

  /** The time after which the daemon wants to be asked again. Empty when it said nothing. */
  public Optional<Duration> retryDelay() {
    return failure.retryDelay();
  }

  /** Reads a number of the metadata. */
  final OptionalLong number(String name) {
    try {
      return OptionalLong.of(Long.parseLong(metadata().getOrDefault(name, "")));
    } catch (NumberFormatException absent) {
      return OptionalLong.empty();
    }
  }
}
