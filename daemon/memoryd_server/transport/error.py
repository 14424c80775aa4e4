"""The one table from the domain's errors to the wire's, and the one place that applies it."""

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from memoryd_server.domain import error
from memoryd_server.domain.limit import RETRY_DELAY_MS

DOMAIN = "memoryd"
DETAILS_KEY = "grpc-status-details-bin"

STATUS_CODES: dict[type[error.Refusal], grpc.StatusCode] = {
    error.InvalidField: grpc.StatusCode.INVALID_ARGUMENT,
    error.RequestIdReused: grpc.StatusCode.INVALID_ARGUMENT,
    error.InvalidPageToken: grpc.StatusCode.INVALID_ARGUMENT,
    error.InvalidResumeToken: grpc.StatusCode.INVALID_ARGUMENT,
    error.MalformedMessage: grpc.StatusCode.INVALID_ARGUMENT,
    error.DocumentUnreadable: grpc.StatusCode.INVALID_ARGUMENT,
    error.AgentNotFound: grpc.StatusCode.NOT_FOUND,
    error.ScopeNotFound: grpc.StatusCode.NOT_FOUND,
    error.MemoryNotFound: grpc.StatusCode.NOT_FOUND,
    error.RecordNotFound: grpc.StatusCode.NOT_FOUND,
    error.SnapshotNotFound: grpc.StatusCode.NOT_FOUND,
    error.EntryExists: grpc.StatusCode.ALREADY_EXISTS,
    error.ScopeExists: grpc.StatusCode.ALREADY_EXISTS,
    error.MemoryExists: grpc.StatusCode.ALREADY_EXISTS,
    error.RecordExists: grpc.StatusCode.ALREADY_EXISTS,
    error.SnapshotExists: grpc.StatusCode.ALREADY_EXISTS,
    error.ScopeDisposed: grpc.StatusCode.FAILED_PRECONDITION,
    error.ForeignResumeToken: grpc.StatusCode.FAILED_PRECONDITION,
    error.SnapshotAgentMismatch: grpc.StatusCode.FAILED_PRECONDITION,
    error.SnapshotLocked: grpc.StatusCode.FAILED_PRECONDITION,
    error.SchemaTooNew: grpc.StatusCode.FAILED_PRECONDITION,
    error.SchemaTooOld: grpc.StatusCode.FAILED_PRECONDITION,
    error.PlanEnded: grpc.StatusCode.FAILED_PRECONDITION,
    error.UrlNotAllowed: grpc.StatusCode.FAILED_PRECONDITION,
    error.SummarizerMissing: grpc.StatusCode.FAILED_PRECONDITION,
    error.RevisionMismatch: grpc.StatusCode.ABORTED,
    error.ReservationLost: grpc.StatusCode.ABORTED,
    error.LeaseLost: grpc.StatusCode.ABORTED,
    error.RevisionCompacted: grpc.StatusCode.OUT_OF_RANGE,
    error.RevisionInFuture: grpc.StatusCode.OUT_OF_RANGE,
    error.HistoryCompacted: grpc.StatusCode.OUT_OF_RANGE,
    error.PageTokenExpired: grpc.StatusCode.OUT_OF_RANGE,
    error.LimitExceeded: grpc.StatusCode.RESOURCE_EXHAUSTED,
    error.StorageFull: grpc.StatusCode.RESOURCE_EXHAUSTED,
    error.Unauthenticated: grpc.StatusCode.UNAUTHENTICATED,
    error.AgentForbidden: grpc.StatusCode.PERMISSION_DENIED,
    error.StoreUnavailable: grpc.StatusCode.UNAVAILABLE,
    error.Draining: grpc.StatusCode.UNAVAILABLE,
    error.SummarizerUnavailable: grpc.StatusCode.UNAVAILABLE,
    error.DataDamaged: grpc.StatusCode.DATA_LOSS,
    error.SnapshotDamaged: grpc.StatusCode.DATA_LOSS,
    error.HistoryLost: grpc.StatusCode.DATA_LOSS,
}

INTERNAL_MESSAGE = "internal error"
INTERNAL_REASON = "INTERNAL"


async def abort(context: "grpc.aio.ServicerContext[bytes, bytes]", refusal: error.Refusal) -> None:
    """End the call with a refusal; does not return."""
    code = STATUS_CODES[type(refusal)]
    await context.abort(code, refusal.message, ((DETAILS_KEY, _details(code, refusal).SerializeToString()),))


async def abort_internal(context: "grpc.aio.ServicerContext[bytes, bytes]") -> None:
    """End the call for a defect of ours, of which the caller learns nothing; does not return."""
    code = grpc.StatusCode.INTERNAL
    details = _status(code, INTERNAL_MESSAGE, INTERNAL_REASON, {})
    await context.abort(code, INTERNAL_MESSAGE, ((DETAILS_KEY, details.SerializeToString()),))


def _details(code: grpc.StatusCode, refusal: error.Refusal) -> status_pb2.Status:
    status = _status(code, refusal.message, refusal.reason, refusal.metadata)
    if isinstance(refusal, error.InvalidField):
        violation = error_details_pb2.BadRequest.FieldViolation(field=refusal.field, description=refusal.description)
        _add(status, error_details_pb2.BadRequest(field_violations=[violation]))
    if code is grpc.StatusCode.UNAVAILABLE:
        delay = duration_pb2.Duration(nanos=RETRY_DELAY_MS * 1_000_000)
        _add(status, error_details_pb2.RetryInfo(retry_delay=delay))
    return status


def _status(code: grpc.StatusCode, message: str, reason: str, metadata: dict[str, str]) -> status_pb2.Status:
    status = status_pb2.Status(code=code.value[0], message=message)
    info = error_details_pb2.ErrorInfo(reason=f"ERROR_REASON_{reason}", domain=DOMAIN, metadata=metadata)
    _add(status, info)
    return status


def _add(status: status_pb2.Status, detail: Message) -> None:
    packed = any_pb2.Any()
    packed.Pack(detail)
    status.details.append(packed)
