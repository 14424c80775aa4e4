"""The mapping of the domain's errors to statuses of calls."""

from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from memoryd_server.domain import error
from memoryd_server.transport.limit import ERROR_TEXT_BYTES_MAX, RETRY_DELAY_MS
from memoryd_server.transport.status import Status, StatusCode

DOMAIN = "memoryd"

STATUS_CODES: dict[type[error.Refusal], StatusCode] = {
    error.InvalidField: StatusCode.INVALID_ARGUMENT,
    error.RequestIdReused: StatusCode.INVALID_ARGUMENT,
    error.InvalidPageToken: StatusCode.INVALID_ARGUMENT,
    error.InvalidResumeToken: StatusCode.INVALID_ARGUMENT,
    error.MalformedMessage: StatusCode.INVALID_ARGUMENT,
    error.DocumentUnreadable: StatusCode.INVALID_ARGUMENT,
    error.TooLarge: StatusCode.RESOURCE_EXHAUSTED,
    error.RequestStalled: StatusCode.DEADLINE_EXCEEDED,
    error.AgentNotFound: StatusCode.NOT_FOUND,
    error.RecordNotFound: StatusCode.NOT_FOUND,
    error.SnapshotNotFound: StatusCode.NOT_FOUND,
    error.OperationNotFound: StatusCode.NOT_FOUND,
    error.RecordExists: StatusCode.ALREADY_EXISTS,
    error.SnapshotExists: StatusCode.ALREADY_EXISTS,
    error.OperationExists: StatusCode.ALREADY_EXISTS,
    error.ScopeDisposed: StatusCode.FAILED_PRECONDITION,
    error.ForeignResumeToken: StatusCode.FAILED_PRECONDITION,
    error.SnapshotAgentMismatch: StatusCode.FAILED_PRECONDITION,
    error.SnapshotLocked: StatusCode.FAILED_PRECONDITION,
    error.SchemaTooNew: StatusCode.FAILED_PRECONDITION,
    error.SchemaTooOld: StatusCode.FAILED_PRECONDITION,
    error.PlanEnded: StatusCode.FAILED_PRECONDITION,
    error.UrlNotAllowed: StatusCode.FAILED_PRECONDITION,
    error.SummarizerMissing: StatusCode.FAILED_PRECONDITION,
    error.AuditOff: StatusCode.FAILED_PRECONDITION,
    error.VersionUnsupported: StatusCode.FAILED_PRECONDITION,
    error.FeatureNotInTier: StatusCode.FAILED_PRECONDITION,
    error.RevisionMismatch: StatusCode.ABORTED,
    error.ReservationLost: StatusCode.ABORTED,
    error.LeaseLost: StatusCode.ABORTED,
    error.RevisionCompacted: StatusCode.OUT_OF_RANGE,
    error.RevisionInFuture: StatusCode.OUT_OF_RANGE,
    error.HistoryCompacted: StatusCode.OUT_OF_RANGE,
    error.PageTokenExpired: StatusCode.OUT_OF_RANGE,
    error.QuotaExceeded: StatusCode.RESOURCE_EXHAUSTED,
    error.Overloaded: StatusCode.RESOURCE_EXHAUSTED,
    error.StorageFull: StatusCode.RESOURCE_EXHAUSTED,
    error.Unauthenticated: StatusCode.UNAUTHENTICATED,
    error.AgentForbidden: StatusCode.PERMISSION_DENIED,
    error.VerbForbidden: StatusCode.PERMISSION_DENIED,
    error.StoreUnavailable: StatusCode.UNAVAILABLE,
    error.Draining: StatusCode.UNAVAILABLE,
    error.SummarizerUnavailable: StatusCode.UNAVAILABLE,
    error.UrlUnreachable: StatusCode.UNAVAILABLE,
    error.ProposerUnavailable: StatusCode.UNAVAILABLE,
    error.DataDamaged: StatusCode.DATA_LOSS,
    error.SnapshotDamaged: StatusCode.DATA_LOSS,
    error.HistoryLost: StatusCode.DATA_LOSS,
    error.MethodUnknown: StatusCode.UNIMPLEMENTED,
}

_INTERNAL_MESSAGE = "internal error"
_INTERNAL_REASON = "INTERNAL"


def status_of(refusal: error.Refusal, agent_id: str = "") -> Status:
    """Return the status of a refusal, with the details that error_reason.proto promises.

    ``agent_id`` is the agent that the request names, empty for none or for more than one.
    """
    code, message = STATUS_CODES[type(refusal)], _cut(refusal.message)
    details = _details(code, message, refusal.reason, agent_id, refusal.metadata)
    if isinstance(refusal, error.InvalidField):
        description = _cut(refusal.description)
        violation = error_details_pb2.BadRequest.FieldViolation(field=refusal.field, description=description)
        _add(details, error_details_pb2.BadRequest(field_violations=[violation]))
    if code is StatusCode.UNAVAILABLE or isinstance(refusal, error.Overloaded):
        delay = duration_pb2.Duration()
        delay.FromMilliseconds(getattr(refusal, "delay_ms", None) or RETRY_DELAY_MS)
        _add(details, error_details_pb2.RetryInfo(retry_delay=delay))
    return Status(code, message, details.SerializeToString(), refusal.reason)


def _cut(text: str) -> str:
    """Return a text that may quote a value of the request, shortened if the client could not receive it."""
    if len(text) * 4 <= ERROR_TEXT_BYTES_MAX:
        return text
    data = text.encode()
    return text if len(data) <= ERROR_TEXT_BYTES_MAX else f"{data[:ERROR_TEXT_BYTES_MAX].decode(errors='ignore')}…"


def internal_status(agent_id: str = "") -> Status:
    """Return the status for a defect of the daemon. It discloses no internals."""
    details = _details(StatusCode.INTERNAL, _INTERNAL_MESSAGE, _INTERNAL_REASON, agent_id, {})
    return Status(StatusCode.INTERNAL, _INTERNAL_MESSAGE, details.SerializeToString(), _INTERNAL_REASON)


def _details(code: StatusCode, message: str, reason: str, agent_id: str, metadata: dict[str, str]) -> status_pb2.Status:
    details = status_pb2.Status(code=code, message=message)
    about = {"agent_id": agent_id, **metadata} if agent_id else metadata
    _add(details, error_details_pb2.ErrorInfo(reason=f"ERROR_REASON_{reason}", domain=DOMAIN, metadata=about))
    return details


def _add(details: status_pb2.Status, detail: Message) -> None:
    packed = any_pb2.Any()
    packed.Pack(detail)
    details.details.append(packed)
