package io.memoryd.client.error;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.memoryd.v1.ErrorReason;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CallFailedExceptionTest {
  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"ERROR_REASON_UNSPECIFIED", "UNRECOGNIZED"})
  void everyReasonHasItsError(ErrorReason reason) {
    assertNotNull(ErrorTable.BY_REASON.get(reason.name()));
    Metadata trailers = ErrorTrailers.of(info(reason.name(), Map.of()));
    CallFailedException error = CallFailedException.from(Status.UNKNOWN, trailers);
    assertEquals(reason.name(), error.reason());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OK")
  void everyStatusCodeHasItsError(Status.Code code) {
    CallFailedException error = CallFailedException.from(Status.fromCode(code), null);
    assertNotEquals(CallFailedException.class, error.getClass());
    assertEquals(code, error.code());
    assertEquals("", error.reason());
  }

  @Test
  void theReasonTakesPrecedenceOverTheStatusCode() {
    Map<String, String> metadata = Map.of("expected_revision", "7", "actual_revision", "9");
    Metadata trailers = ErrorTrailers.of(info("ERROR_REASON_REVISION_MISMATCH", metadata));
    RevisionMismatchException error =
        assertInstanceOf(
            RevisionMismatchException.class, CallFailedException.from(Status.ABORTED, trailers));
    assertEquals(OptionalLong.of(7), error.expectedRevision());
    assertEquals(OptionalLong.of(9), error.actualRevision());
    assertEquals(metadata, error.metadata());
  }

  @Test
  void theErrorOfAnUnknownReasonIsThatOfItsStatusCode() {
    Metadata trailers = ErrorTrailers.of(info("ERROR_REASON_OF_TOMORROW", Map.of()));
    CallFailedException error = CallFailedException.from(Status.NOT_FOUND, trailers);
    assertSame(NotFoundException.class, error.getClass());
    assertEquals("ERROR_REASON_OF_TOMORROW", error.reason());
  }

  @Test
  void theReasonOfAnotherDomainIsIgnored() {
    ErrorInfo foreign =
        ErrorInfo.newBuilder().setDomain("other").setReason("ERROR_REASON_DRAINING").build();
    CallFailedException error =
        CallFailedException.from(Status.NOT_FOUND, ErrorTrailers.of(foreign));
    assertSame(NotFoundException.class, error.getClass());
    assertEquals("", error.reason());
  }

  @Test
  void theErrorContainsInvalidFields() {
    BadRequest badRequest =
        BadRequest.newBuilder()
            .addFieldViolations(
                BadRequest.FieldViolation.newBuilder()
                    .setField("key")
                    .setDescription("must not be blank"))
            .build();
    CallFailedException error =
        CallFailedException.from(Status.INVALID_ARGUMENT, ErrorTrailers.of(badRequest));
    assertEquals(Map.of("key", "must not be blank"), error.fields());
  }

  @Test
  void theErrorContainsTheRetryDelay() {
    Metadata trailers = ErrorTrailers.retryAfter(Duration.ofMillis(250));
    assertEquals(
        Optional.of(Duration.ofMillis(250)),
        CallFailedException.from(Status.UNAVAILABLE, trailers).retryDelay());
  }

  @Test
  void aDetailThatCannotBeDecodedDoesNotHideTheStatusCode() {
    Metadata trailers = ErrorTrailers.ofBytes(new byte[] {-1, -1, -1});
    assertInstanceOf(NotFoundException.class, CallFailedException.from(Status.NOT_FOUND, trailers));
  }

  @Test
  void aNumberThatCannotBeParsedIsEmpty() {
    Metadata trailers =
        ErrorTrailers.of(info("ERROR_REASON_RECORD_EXISTS", Map.of("revision", "many")));
    RecordExistsException error =
        (RecordExistsException) CallFailedException.from(Status.ALREADY_EXISTS, trailers);
    assertEquals(OptionalLong.empty(), error.revision());
  }

  @Test
  void theErrorContainsTheOldestTime() {
    Map<String, String> metadata = Map.of("oldest_time", "2023-11-14T22:13:20.000001Z");
    assertEquals(Optional.of(Instant.ofEpochSecond(1_700_000_000, 1_000)), oldestTime(metadata));
    assertEquals(Optional.empty(), oldestTime(Map.of()));
  }

  @Test
  void theMessageContainsWhyTheDaemonIsNotReached() {
    StatusRuntimeException thrown =
        Status.UNAVAILABLE
            .withDescription("io exception")
            .withCause(new IOException("Connection refused"))
            .asRuntimeException();
    CallFailedException error = CallFailedException.from(thrown);
    assertTrue(error.getMessage().contains("Connection refused"), error.getMessage());
    assertSame(thrown, error.getCause());
  }

  private static Optional<Instant> oldestTime(Map<String, String> metadata) {
    Metadata trailers = ErrorTrailers.of(info("ERROR_REASON_HISTORY_COMPACTED", metadata));
    HistoryCompactedException error =
        (HistoryCompactedException) CallFailedException.from(Status.OUT_OF_RANGE, trailers);
    return error.oldestTime();
  }

  private static ErrorInfo info(String reason, Map<String, String> metadata) {
    return ErrorInfo.newBuilder()
        .setDomain("memoryd")
        .setReason(reason)
        .putAllMetadata(metadata)
        .build();
  }
}
