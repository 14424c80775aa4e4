"""Audit records: who did what to which agent."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from memoryd.model.enum_word import EnumWords
from memoryd.model.moment import datetime_from
from memoryd.v1 import server_service_pb2 as pb


class AuditPhase(StrEnum):
    """The part of a call that a record is about: the whole, or the beginning or the end of a stream."""

    UNSPECIFIED = "unspecified"
    CALL = "call"
    BEGIN = "begin"
    END = "end"


_PHASE = EnumWords(pb.AuditPhase, "AUDIT_PHASE")


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """A record of who did what to which agent. It has names, ids and numbers, never a content or a value.

    ``agent_ids`` are ids, or patterns where a call is about all agents that match: at most 100. ``requests`` are the
    kinds of the requests within the request. ``status``, ``reason`` and ``duration`` are empty and None for a
    beginning. ``denied`` means that the caller had no right, or made too many calls. ``omitted_count`` is the number of
    records before this one that the server could not keep, ``missed_count`` of those that this reader was too slow for.
    """

    time: datetime
    phase: AuditPhase
    method: str
    caller: str
    peer: str
    agent_ids: tuple[str, ...]
    user_id: str
    request_id: str
    target_id: str
    requests: tuple[str, ...]
    trace_id: str
    status: str
    reason: str
    denied: bool
    duration: timedelta | None
    omitted_count: int
    missed_count: int


def audit_record_from(response: pb.WatchAuditResponse) -> AuditRecord:
    """Return the record of a message that has one."""
    record = response.record
    return AuditRecord(
        time=datetime_from(record.record_time),
        phase=_PHASE.word(AuditPhase, record.phase),
        method=record.method,
        caller=record.caller,
        peer=record.peer,
        agent_ids=tuple(record.agent_ids),
        user_id=record.user_id,
        request_id=record.request_id,
        target_id=record.target_id,
        requests=tuple(record.requests),
        trace_id=record.trace_id,
        status=record.status,
        reason=record.reason,
        denied=record.denied,
        duration=record.elapsed_duration.ToTimedelta() if record.HasField("elapsed_duration") else None,
        omitted_count=record.omitted_count,
        missed_count=response.missed_count,
    )
