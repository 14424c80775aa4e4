"""The calls about operations, and the results of the requests that they carry out."""

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypedDict, TypeVar

from memoryd.errors import CallFailed, Cancelled
from memoryd.model.agent import ended_from, forgotten_user_from
from memoryd.model.conversation import compacted_from
from memoryd.model.document import document_from
from memoryd.model.listing import LIST_ORDER, ListOrder
from memoryd.model.memory_change import reembedding_from
from memoryd.model.moment import datetime_from, datetime_in, duration_of
from memoryd.model.operation import OPERATION_STATE, OperationInfo, OperationProgress, OperationState
from memoryd.model.record import RECORD_KIND, RecordKind
from memoryd.model.snapshot import restored_from, snapshot_from
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, call, page_call
from memoryd.protocol.entry import LIST_PAGE_SIZE
from memoryd.protocol.option import any_of
from memoryd.protocol.status import error_of
from memoryd.v1 import operation_pb2
from memoryd.v1 import operation_service_pb2 as pb

Result = TypeVar("Result")

WAIT_S = 30.0
"""Seconds for which one call waits for the end of an operation."""

RESULTS: Mapping[str, Callable[[Any], Any]] = {
    "create_snapshot": lambda response: snapshot_from(response.snapshot),
    "restore_snapshot": restored_from,
    "end_agent": ended_from,
    "reembed_memories": reembedding_from,
    "compact_messages": compacted_from,
    "create_document": lambda response: document_from(response.document),
    "update_document": lambda response: document_from(response.document),
    "forget_user": forgotten_user_from,
}
"""The results of operations by the field of their response."""

_FIELDS = {getattr(pb.StartOperationRequest(), name).DESCRIPTOR.full_name: name for name in RESULTS}


class OperationListOptions(TypedDict, total=False):
    """The options of a list of operations; by default of all.

    ``agents``: only those of agents that match any of these patterns; an empty one stands for operations on all agents
    together. ``states``: only those in one of these. ``order``: by default that of creation, the newest first.
    """

    agents: Iterable[str] | None
    states: Iterable[OperationState | str] | None
    order: ListOrder | str


class Progressing(Generic[Result]):
    """An operation as it was last seen, and its result once it has one."""

    def __init__(self, message: operation_pb2.Operation) -> None:
        self._message = message
        self.info: OperationInfo = operation_from(message)

    @property
    def operation_id(self) -> str:
        """The id of the operation."""
        return self.info.operation_id

    @property
    def ended(self) -> bool:
        """True once the operation has ended."""
        return self.info.state != OperationState.RUNNING

    def result(self) -> Result:
        """Return the result of an operation that has ended. Raises its error, and Cancelled if it was cancelled."""
        if self.info.error is not None:
            raise self.info.error
        field = self._message.WhichOneof("response")
        if field is None:
            raise Cancelled(f"operation {self.operation_id!r} was cancelled")
        result: Result = RESULTS[field](getattr(self._message, field))
        return result


class Deadline:
    """The time until which a caller waits; None for ever."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    def next_wait(self) -> float:
        """Return for how many seconds the next call may wait."""
        return WAIT_S if self._end is None else max(0.0, min(WAIT_S, self._end - time.monotonic()))

    @property
    def over(self) -> bool:
        """True once the time is over."""
        return self._end is not None and time.monotonic() >= self._end


def start_operation(described: Call[Any], operation_id: str) -> Call[Progressing[Any]]:
    """Start the request of a call as an operation."""
    request = pb.StartOperationRequest(
        operation_id=operation_id, **{_FIELDS[described.request.DESCRIPTOR.full_name]: described.request}
    )
    return call(method.START_OPERATION, request, lambda answer: Progressing(answer.operation))


def get_operation(operation_id: str) -> Call[Progressing[Any]]:
    """Read an operation."""
    request = pb.GetOperationRequest(operation_id=operation_id)
    return call(method.GET_OPERATION, request, lambda answer: Progressing(answer.operation))


def wait_operation(operation_id: str, seconds: float) -> Call[Progressing[Any]]:
    """Wait for the end of an operation."""
    request = pb.WaitOperationRequest(operation_id=operation_id, wait_duration=duration_of(seconds))
    return call(method.WAIT_OPERATION, request, lambda answer: Progressing(answer.operation), patience=seconds)


def cancel_operation(operation_id: str) -> Call[tuple[Progressing[Any], bool]]:
    """Ask an operation to stop."""
    request = pb.CancelOperationRequest(operation_id=operation_id)
    return call(method.CANCEL_OPERATION, request, lambda answer: (Progressing(answer.operation), answer.changed))


def list_operations(options: OperationListOptions) -> Call[Page[OperationInfo]]:
    """List operations, page by page."""
    request = pb.ListOperationsRequest(
        agent_ids=any_of("agents", options.get("agents")),
        states=[OPERATION_STATE.number(each) for each in any_of("states", options.get("states"))],
        order=LIST_ORDER.number(options.get("order", ListOrder.UNSPECIFIED)),
        page_size=LIST_PAGE_SIZE,
    )
    return page_call(method.LIST_OPERATIONS, request, lambda answer: list(map(operation_from, answer.operations)))


def operation_from(message: operation_pb2.Operation) -> OperationInfo:
    """Return the operation of a message."""
    return OperationInfo(
        operation_id=message.operation_id,
        agent_id=message.agent_id,
        method=message.method,
        state=OPERATION_STATE.word(OperationState, message.state),
        progress=_progress_from(message.progress) if message.HasField("progress") else None,
        cancel_requested=message.cancel_requested,
        create_time=datetime_from(message.create_time),
        update_time=datetime_from(message.update_time),
        end_time=datetime_in(message, "end_time"),
        principal=message.principal,
        error=_error_from(message.error) if message.HasField("error") else None,
    )


def _progress_from(message: operation_pb2.OperationProgress) -> OperationProgress:
    total_count = message.total_count if message.HasField("total_count") else None
    return OperationProgress(RECORD_KIND.word(RecordKind, message.kind), message.done_count, total_count)


def _error_from(message: operation_pb2.OperationError) -> CallFailed:
    return error_of(message.code, message.message, message.reason, message.metadata)
