"""The mapping of reasons and status codes to errors."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from memoryd import errors
from memoryd.v1.error_reason_pb2 import ErrorReason

DETAILS_KEY = "grpc-status-details-bin"
DOMAIN = "memoryd"

ERROR_BY_REASON: dict[str, type[errors.CallFailed]] = {
    "ERROR_REASON_INVALID_FIELD": errors.InvalidArgument,
    "ERROR_REASON_REQUEST_ID_REUSED": errors.RequestIdReused,
    "ERROR_REASON_INVALID_PAGE_TOKEN": errors.InvalidPageToken,
    "ERROR_REASON_INVALID_RESUME_TOKEN": errors.InvalidResumeToken,
    "ERROR_REASON_MALFORMED_MESSAGE": errors.InvalidArgument,
    "ERROR_REASON_DOCUMENT_UNREADABLE": errors.DocumentUnreadable,
    "ERROR_REASON_TOO_LARGE": errors.TooLarge,
    "ERROR_REASON_AGENT_NOT_FOUND": errors.AgentNotFound,
    "ERROR_REASON_SNAPSHOT_NOT_FOUND": errors.SnapshotNotFound,
    "ERROR_REASON_OPERATION_NOT_FOUND": errors.OperationNotFound,
    "ERROR_REASON_RECORD_NOT_FOUND": errors.RecordNotFound,
    "ERROR_REASON_SNAPSHOT_EXISTS": errors.SnapshotExists,
    "ERROR_REASON_OPERATION_EXISTS": errors.OperationExists,
    "ERROR_REASON_RECORD_EXISTS": errors.RecordExists,
    "ERROR_REASON_SCOPE_DISPOSED": errors.ScopeDisposed,
    "ERROR_REASON_FOREIGN_RESUME_TOKEN": errors.ForeignResumeToken,
    "ERROR_REASON_SNAPSHOT_AGENT_MISMATCH": errors.SnapshotAgentMismatch,
    "ERROR_REASON_SNAPSHOT_LOCKED": errors.SnapshotLocked,
    "ERROR_REASON_SCHEMA_TOO_NEW": errors.SchemaTooNew,
    "ERROR_REASON_SCHEMA_TOO_OLD": errors.SchemaTooOld,
    "ERROR_REASON_PLAN_ENDED": errors.PlanEnded,
    "ERROR_REASON_URL_NOT_ALLOWED": errors.UrlNotAllowed,
    "ERROR_REASON_REQUEST_STALLED": errors.DeadlineExceeded,
    "ERROR_REASON_SUMMARIZER_MISSING": errors.SummarizerMissing,
    "ERROR_REASON_AUDIT_OFF": errors.AuditOff,
    "ERROR_REASON_VERSION_UNSUPPORTED": errors.VersionUnsupported,
    "ERROR_REASON_FEATURE_NOT_IN_TIER": errors.FeatureNotInTier,
    "ERROR_REASON_REVISION_MISMATCH": errors.RevisionMismatch,
    "ERROR_REASON_RESERVATION_LOST": errors.ReservationLost,
    "ERROR_REASON_LEASE_LOST": errors.LeaseLost,
    "ERROR_REASON_REVISION_COMPACTED": errors.RevisionCompacted,
    "ERROR_REASON_REVISION_IN_FUTURE": errors.RevisionInFuture,
    "ERROR_REASON_PAGE_TOKEN_EXPIRED": errors.PageTokenExpired,
    "ERROR_REASON_HISTORY_COMPACTED": errors.HistoryCompacted,
    "ERROR_REASON_QUOTA_EXCEEDED": errors.QuotaExceeded,
    "ERROR_REASON_OVERLOADED": errors.Overloaded,
    "ERROR_REASON_STORAGE_FULL": errors.StorageFull,
    "ERROR_REASON_UNAUTHENTICATED": errors.Unauthenticated,
    "ERROR_REASON_AGENT_FORBIDDEN": errors.PermissionDenied,
    "ERROR_REASON_VERB_FORBIDDEN": errors.PermissionDenied,
    "ERROR_REASON_STORE_UNAVAILABLE": errors.StoreUnavailable,
    "ERROR_REASON_DRAINING": errors.Draining,
    "ERROR_REASON_SUMMARIZER_UNAVAILABLE": errors.SummarizerUnavailable,
    "ERROR_REASON_URL_UNREACHABLE": errors.UrlUnreachable,
    "ERROR_REASON_PROPOSER_UNAVAILABLE": errors.ProposerUnavailable,
    "ERROR_REASON_DATA_DAMAGED": errors.DataDamaged,
    "ERROR_REASON_SNAPSHOT_DAMAGED": errors.SnapshotDamaged,
    "ERROR_REASON_HISTORY_LOST": errors.HistoryLost,
    "ERROR_REASON_INTERNAL": errors.InternalError,
    "ERROR_REASON_METHOD_UNKNOWN": errors.Unimplemented,
}

ERROR_BY_CODE: dict[grpc.StatusCode, type[errors.CallFailed]] = {
    grpc.StatusCode.INVALID_ARGUMENT: errors.InvalidArgument,
    grpc.StatusCode.NOT_FOUND: errors.NotFound,
    grpc.StatusCode.ALREADY_EXISTS: errors.AlreadyExists,
    grpc.StatusCode.FAILED_PRECONDITION: errors.FailedPrecondition,
    grpc.StatusCode.ABORTED: errors.Aborted,
    grpc.StatusCode.OUT_OF_RANGE: errors.OutOfRange,
    grpc.StatusCode.RESOURCE_EXHAUSTED: errors.ResourceExhausted,
    grpc.StatusCode.UNAVAILABLE: errors.Unavailable,
    grpc.StatusCode.DATA_LOSS: errors.DataLoss,
    grpc.StatusCode.CANCELLED: errors.Cancelled,
    grpc.StatusCode.DEADLINE_EXCEEDED: errors.DeadlineExceeded,
    grpc.StatusCode.INTERNAL: errors.InternalError,
    grpc.StatusCode.UNKNOWN: errors.InternalError,
    grpc.StatusCode.PERMISSION_DENIED: errors.PermissionDenied,
    grpc.StatusCode.UNAUTHENTICATED: errors.Unauthenticated,
    grpc.StatusCode.UNIMPLEMENTED: errors.Unimplemented,
}


_STATUS_CODES: dict[int, grpc.StatusCode] = {code.value[0]: code for code in grpc.StatusCode}


@dataclass(slots=True)
class _Details:
    reason: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)
    retry_delay: float | None = None


def error_from(
    code: grpc.StatusCode,
    text: str | None,
    trailing_metadata: Iterable[tuple[str, str | bytes]] | None,
    target: str,
) -> errors.CallFailed:
    """Return the error for the status of a failed call to the target."""
    details = _details_in(trailing_metadata or ())
    kind = ERROR_BY_REASON.get(details.reason) or ERROR_BY_CODE.get(code, errors.CallFailed)
    message = text or code.name
    if not details.reason and code is grpc.StatusCode.UNAVAILABLE:
        message = f"no answer from memoryd at {target}: {_unreachable(message)}"
    return kind(
        message,
        code=code,
        reason=details.reason,
        metadata=details.metadata,
        fields=details.fields,
        retry_delay=details.retry_delay,
    )


def error_of(code: int, message: str, reason: int, metadata: Mapping[str, str]) -> errors.CallFailed:
    """Return the error of a call that failed within an operation, by the numbers of its code and its reason."""
    status = _STATUS_CODES.get(code, grpc.StatusCode.UNKNOWN)
    try:
        name = ErrorReason.Name(reason) if reason else ""
    except ValueError:
        name = ""
    kind = ERROR_BY_REASON.get(name) or ERROR_BY_CODE.get(status, errors.CallFailed)
    fields = {metadata["field"]: message} if "field" in metadata else {}
    return kind(message, code=status, reason=name, metadata=metadata, fields=fields)


def client_closed() -> errors.Cancelled:
    """Return the error for a call on a client that was closed."""
    return errors.Cancelled("the client is closed", code=grpc.StatusCode.CANCELLED)


def client_copied(target: str) -> TypeError:
    """Return the error for the copy of a client, which pickle makes, too."""
    return TypeError(
        "a memoryd client cannot be pickled or copied, and no agent, scope or other object of it: it is one"
        f" connection. Pass on the target, {target!r}, and the ids, and connect in the other process"
    )


_CAUSES = {
    "connection refused": "nothing listens there",
    "no such file": "there is no such socket",
    "permission denied": "this user may not open the socket",
    "name not found": "there is no host of this name",
    "lookup failed": "there is no host of this name",
    "certificate_verify_failed": "the certificate was not accepted",
    "handshake": "the TLS handshake failed",
    "timed out": "there was no connection in time",
    "timeout": "there was no connection in time",
    "reset by peer": "the connection was cut",
    "socket closed": "the connection was cut",
}
"""Words for the causes of broken connections, by a part of gRPC's text in lower case."""


def _unreachable(text: str) -> str:
    """Return why a daemon cannot be reached, in words of this package if the cause is a usual one."""
    lower = text.lower()
    return next((words for part, words in _CAUSES.items() if part in lower), text)


def _details_in(trailing_metadata: Iterable[tuple[str, str | bytes]]) -> _Details:
    found = _Details()
    for name, packed in trailing_metadata:
        if name != DETAILS_KEY or not isinstance(packed, bytes):
            continue
        try:
            _read_details(status_pb2.Status.FromString(packed), found)
        except DecodeError:
            # A damaged detail must not hide the status code, which alone determines the error's type.
            continue
    return found


def _read_details(status: status_pb2.Status, found: _Details) -> None:
    info = error_details_pb2.ErrorInfo()
    bad_request = error_details_pb2.BadRequest()
    retry = error_details_pb2.RetryInfo()
    for detail in status.details:
        if detail.Unpack(info) and info.domain == DOMAIN:
            found.reason = info.reason
            found.metadata = dict(info.metadata)
        elif detail.Unpack(bad_request):
            found.fields = {bad.field: bad.description for bad in bad_request.field_violations}
        elif detail.Unpack(retry):
            found.retry_delay = retry.retry_delay.seconds + retry.retry_delay.nanos / 1e9
