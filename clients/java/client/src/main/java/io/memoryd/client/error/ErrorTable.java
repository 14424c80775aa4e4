package io.memoryd.client.error;

import static java.util.Map.entry;

import io.grpc.Metadata;
import io.grpc.Status;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The conversion of reasons and status codes to errors. */
final class ErrorTable {
  static final Map<String, Function<CallFailure, CallFailedException>> BY_REASON =
      Map.ofEntries(
          entry("ERROR_REASON_INVALID_FIELD", InvalidArgumentException::new),
          entry("ERROR_REASON_REQUEST_ID_REUSED", RequestIdReusedException::new),
          entry("ERROR_REASON_INVALID_PAGE_TOKEN", InvalidPageTokenException::new),
          entry("ERROR_REASON_INVALID_RESUME_TOKEN", InvalidResumeTokenException::new),
          entry("ERROR_REASON_MALFORMED_MESSAGE", InvalidArgumentException::new),
          entry("ERROR_REASON_DOCUMENT_UNREADABLE", DocumentUnreadableException::new),
          entry("ERROR_REASON_TOO_LARGE", TooLargeException::new),
          entry("ERROR_REASON_AGENT_NOT_FOUND", AgentNotFoundException::new),
          entry("ERROR_REASON_SNAPSHOT_NOT_FOUND", SnapshotNotFoundException::new),
          entry("ERROR_REASON_OPERATION_NOT_FOUND", OperationNotFoundException::new),
          entry("ERROR_REASON_RECORD_NOT_FOUND", RecordNotFoundException::new),
          entry("ERROR_REASON_SNAPSHOT_EXISTS", SnapshotExistsException::new),
          entry("ERROR_REASON_OPERATION_EXISTS", OperationExistsException::new),
          entry("ERROR_REASON_RECORD_EXISTS", RecordExistsException::new),
          entry("ERROR_REASON_SCOPE_DISPOSED", ScopeDisposedException::new),
          entry("ERROR_REASON_FOREIGN_RESUME_TOKEN", ForeignResumeTokenException::new),
          entry("ERROR_REASON_SNAPSHOT_AGENT_MISMATCH", SnapshotAgentMismatchException::new),
          entry("ERROR_REASON_SNAPSHOT_LOCKED", SnapshotLockedException::new),
          entry("ERROR_REASON_SCHEMA_TOO_NEW", SchemaTooNewException::new),
          entry("ERROR_REASON_SCHEMA_TOO_OLD", SchemaTooOldException::new),
          entry("ERROR_REASON_PLAN_ENDED", PlanEndedException::new),
          entry("ERROR_REASON_URL_NOT_ALLOWED", UrlNotAllowedException::new),
          entry("ERROR_REASON_REQUEST_STALLED", DeadlineExceededException::new),
          entry("ERROR_REASON_SUMMARIZER_MISSING", SummarizerMissingException::new),
          entry("ERROR_REASON_AUDIT_OFF", AuditOffException::new),
          entry("ERROR_REASON_VERSION_UNSUPPORTED", VersionUnsupportedException::new),
          entry("ERROR_REASON_FEATURE_NOT_IN_TIER", FeatureNotInTierException::new),
          entry("ERROR_REASON_REVISION_MISMATCH", RevisionMismatchException::new),
          entry("ERROR_REASON_RESERVATION_LOST", ReservationLostException::new),
          entry("ERROR_REASON_LEASE_LOST", LeaseLostException::new),
          entry("ERROR_REASON_REVISION_COMPACTED", RevisionCompactedException::new),
          entry("ERROR_REASON_REVISION_IN_FUTURE", RevisionInFutureException::new),
          entry("ERROR_REASON_PAGE_TOKEN_EXPIRED", PageTokenExpiredException::new),
          entry("ERROR_REASON_HISTORY_COMPACTED", HistoryCompactedException::new),
          entry("ERROR_REASON_QUOTA_EXCEEDED", QuotaExceededException::new),
          entry("ERROR_REASON_OVERLOADED", OverloadedException::new),
          entry("ERROR_REASON_STORAGE_FULL", StorageFullException::new),
          entry("ERROR_REASON_UNAUTHENTICATED", UnauthenticatedException::new),
          entry("ERROR_REASON_AGENT_FORBIDDEN", PermissionDeniedException::new),
          entry("ERROR_REASON_VERB_FORBIDDEN", PermissionDeniedException::new),
          entry("ERROR_REASON_STORE_UNAVAILABLE", StoreUnavailableException::new),
          entry("ERROR_REASON_DRAINING", DrainingException::new),
          entry("ERROR_REASON_SUMMARIZER_UNAVAILABLE", SummarizerUnavailableException::new),
          entry("ERROR_REASON_URL_UNREACHABLE", UrlUnreachableException::new),
          entry("ERROR_REASON_PROPOSER_UNAVAILABLE", ProposerUnavailableException::new),
          entry("ERROR_REASON_DATA_DAMAGED", DataDamagedException::new),
          entry("ERROR_REASON_SNAPSHOT_DAMAGED", SnapshotDamagedException::new),
          entry("ERROR_REASON_HISTORY_LOST", HistoryLostException::new),
          entry("ERROR_REASON_INTERNAL", InternalErrorException::new),
          entry("ERROR_REASON_METHOD_UNKNOWN", UnimplementedException::new));

  private ErrorTable() {}

  static CallFailedException error(
      Status status, @Nullable Metadata trailers, @Nullable Throwable cause) {
    ErrorDetails details = ErrorDetails.in(trailers);
    CallFailure failure =
        new CallFailure(
            status.getCode(),
            message(status, details),
            details.reason(),
            details.metadata(),
            details.fields(),
            details.retryDelay(),
            cause);
    Function<CallFailure, CallFailedException> byReason = BY_REASON.get(details.reason());
    return byReason != null ? byReason.apply(failure) : byCode(failure);
  }

  private static CallFailedException byCode(CallFailure failure) {
    return switch (failure.code()) {
      case INVALID_ARGUMENT -> new InvalidArgumentException(failure);
      case NOT_FOUND -> new NotFoundException(failure);
      case ALREADY_EXISTS -> new AlreadyExistsException(failure);
      case FAILED_PRECONDITION -> new FailedPreconditionException(failure);
      case ABORTED -> new AbortedException(failure);
      case OUT_OF_RANGE -> new OutOfRangeException(failure);
      case RESOURCE_EXHAUSTED -> new ResourceExhaustedException(failure);
      case UNAVAILABLE -> new UnavailableException(failure);
      case DATA_LOSS -> new DataLossException(failure);
      case CANCELLED -> new CancelledException(failure);
      case DEADLINE_EXCEEDED -> new DeadlineExceededException(failure);
      case INTERNAL, UNKNOWN -> new InternalErrorException(failure);
      case PERMISSION_DENIED -> new PermissionDeniedException(failure);
      case UNAUTHENTICATED -> new UnauthenticatedException(failure);
      case UNIMPLEMENTED -> new UnimplementedException(failure);
      case OK -> new CallFailedException(failure);
    };
  }

  private static String message(Status status, ErrorDetails details) {
    String text =
        status.getDescription() == null ? status.getCode().name() : status.getDescription();
    if (status.getCode() != Status.Code.UNAVAILABLE || !details.reason().isEmpty()) {
      return text;
    }
    // gRPC says only "io exception". The causes contain the address and the reason.
    StringBuilder message = new StringBuilder("no answer from memoryd");
    text.lines().findFirst().ifPresent(line -> message.append(": ").append(line));
    for (Throwable cause = status.getCause(); cause != null; cause = cause.getCause()) {
      String why = cause.getMessage();
      if (why != null && message.indexOf(why) < 0) {
        message.append(": ").append(why);
      }
    }
    return message.toString();
  }
}
