"""Operations: requests that the server carries out while nobody waits."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memoryd.errors import CallFailed
from memoryd.model.enum_word import EnumWords
from memoryd.model.record import RecordKind
from memoryd.v1 import operation_pb2


class OperationState(StrEnum):
    """The state of an operation. ``CANCELLED`` means that ``cancel`` ended the work: what was done stays done."""

    UNSPECIFIED = "unspecified"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


OPERATION_STATE = EnumWords(operation_pb2.OperationState, "OPERATION_STATE")


@dataclass(frozen=True, slots=True)
class OperationProgress:
    """The number of records of a kind that are done. ``total_count`` is the number to do, None if it is not known."""

    kind: RecordKind
    done_count: int
    total_count: int | None


@dataclass(frozen=True, slots=True)
class OperationInfo:
    """An operation at one moment.

    ``agent_id`` is empty for an operation on all agents. ``method`` is such as "SnapshotService/CreateSnapshot".
    ``progress`` is None if the work cannot be counted. ``principal`` is who started it. ``error`` is set if it failed.
    """

    operation_id: str
    agent_id: str
    method: str
    state: OperationState
    progress: OperationProgress | None
    cancel_requested: bool
    create_time: datetime
    update_time: datetime
    end_time: datetime | None
    principal: str
    error: CallFailed | None
