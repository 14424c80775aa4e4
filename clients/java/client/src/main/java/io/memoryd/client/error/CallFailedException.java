package io.memoryd.client.error;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A call that the daemon refused, or that never reached it. */
public non-sealed class CallFailedException extends MemorydException {
  private final CallFailure failure;

  CallFailedException(CallFailure failure) {
    super(failure.message(), failure.cause());
    this.failure = failure;
  }

  /**
   * Returns the error of the most specific class for an exception of a generated stub. Use it
   * around calls of stubs; the methods of this client throw such errors already.
   */
  public static CallFailedException from(StatusRuntimeException thrown) {
    return ErrorTable.error(thrown.getStatus(), thrown.getTrailers(), thrown);
  }

  /**
   * Returns the error of the most specific class for the end of a call. {@code trailers} may be
   * null.
   */
  public static CallFailedException from(Status status, @Nullable Metadata trailers) {
    return ErrorTable.error(status, trailers, status.getCause());
  }

  /** Returns the status code of the call. */
  public Status.Code code() {
    return failure.code();
  }

  /**
   * Returns the name of the {@link io.memoryd.v1.ErrorReason}, such as {@code
   * ERROR_REASON_SCOPE_DISPOSED}. Empty if the daemon sent none or was not reached.
   */
  public String reason() {
    return failure.reason();
  }

  /** Returns the details that the reason's comment lists. */
  public Map<String, String> metadata() {
    return failure.metadata();
  }

  /** Returns what is wrong with each invalid field of the request. */
  public Map<String, String> fields() {
    return failure.fields();
  }

  /** Returns the time to wait before a retry, as the daemon requests it. Empty if it sent none. */
  public Optional<Duration> retryDelay() {
    return failure.retryDelay();
  }

  /** Returns the position of the change that was refused in its transaction; empty otherwise. */
  public final OptionalInt writeIndex() {
    OptionalLong index = number("write_index");
    return index.isPresent() ? OptionalInt.of((int) index.getAsLong()) : OptionalInt.empty();
  }

  /** Returns a number in the metadata, or empty if there is none of this name. */
  final OptionalLong number(String name) {
    try {
      return OptionalLong.of(Long.parseLong(metadata().getOrDefault(name, "")));
    } catch (NumberFormatException absent) {
      return OptionalLong.empty();
    }
  }
}
