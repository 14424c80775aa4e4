"""Encoding of operations."""

from memoryd.v1 import error_reason_pb2, operation_pb2
from memoryd_server.domain.error import Refusal
from memoryd_server.engine.operations.operations import Operation, OperationState
from memoryd_server.engine.operations.progress import Progress
from memoryd_server.transport.error import STATUS_CODES
from memoryd_server.transport.fields.timestamp import timestamp
from memoryd_server.transport.status import StatusCode

_INTERNAL = operation_pb2.OperationError(
    code=StatusCode.INTERNAL, message="internal error", reason=error_reason_pb2.ERROR_REASON_INTERNAL
)


def operation_message(operation: Operation, response_field: str = "") -> operation_pb2.Operation:
    """Encode an operation, with its response if the field of the response is given."""
    request, failure = operation.request, operation.failure
    message = operation_pb2.Operation(
        operation_id=request.operation_id,
        agent_id=request.agent_ids[0],
        create_time=timestamp(operation.create_time),
        update_time=timestamp(operation.update_time),
        method=request.method,
        state=int(operation.state),  # type: ignore[arg-type]
        progress=None if operation.progress is None else _progress_message(operation.progress),
        cancel_requested=operation.cancel_requested,
        end_time=None if operation.end_time is None else timestamp(operation.end_time),
        principal=request.principal,
        error=None if failure is None else _error_message(failure),
    )
    if response_field and operation.state is OperationState.SUCCEEDED:
        response = getattr(message, response_field)
        response.SetInParent()
        response.MergeFromString(operation.result)
    return message


def _progress_message(progress: Progress) -> operation_pb2.OperationProgress:
    return operation_pb2.OperationProgress(
        kind=int(progress.kind),  # type: ignore[arg-type]
        done_count=progress.done,
        total_count=progress.total,
    )


def _error_message(failure: BaseException) -> operation_pb2.OperationError:
    """Encode a failure. A defect of the daemon discloses no internals."""
    if not isinstance(failure, Refusal):
        return _INTERNAL
    return operation_pb2.OperationError(
        code=STATUS_CODES[type(failure)],
        message=failure.message,
        reason=f"ERROR_REASON_{failure.reason}",
        metadata=failure.metadata,
    )
