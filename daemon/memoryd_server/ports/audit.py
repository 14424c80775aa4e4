"""The audit log: who did what to which agent. Its records have names, ids and numbers, never a content or a value."""

import enum
from typing import Protocol

import msgspec


class AuditPhase(enum.Enum):
    """The part of a call that a record is about: the whole, or the beginning or the end of a stream."""

    CALL = "call"
    BEGIN = "begin"
    END = "end"


class AuditRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """One record. ``AuditRecord`` in server_service.proto defines each field; ``time_ns`` is since the Unix epoch."""

    time_ns: int
    phase: AuditPhase
    method: str
    caller: str = ""
    peer: str = ""
    agent_ids: tuple[str, ...] = ()
    user_id: str = ""
    request_id: str = ""
    target_id: str = ""
    requests: tuple[str, ...] = ()
    trace_id: str = ""
    status: str = ""
    reason: str = ""
    denied: bool = False
    duration_ns: int = 0
    omitted_count: int = 0


class AuditLog(Protocol):
    """The place in which records are kept."""

    def add(self, record: AuditRecord) -> None:
        """Keep a record. It neither blocks nor raises: a log that cannot be written reports that itself."""
