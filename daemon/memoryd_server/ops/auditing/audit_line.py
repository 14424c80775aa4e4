"""Audit records as lines of JSON."""

from datetime import UTC, datetime

import msgspec

from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.ports.audit import AuditRecord

_MICROSECOND_NS = 1_000
_MILLISECOND_NS = 1_000_000


def line_of(record: AuditRecord) -> bytes:
    """Return a record as a line: its time in RFC 3339, its duration in milliseconds, and nothing that is empty."""
    fields = msgspec.to_builtins(record)
    seconds, nanoseconds = divmod(fields.pop("time_ns"), SECOND_NS)
    time = f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{nanoseconds // _MICROSECOND_NS:06}Z"
    duration_ns = fields.pop("duration_ns", None)
    if duration_ns is not None:
        fields["duration_ms"] = duration_ns / _MILLISECOND_NS
    return msgspec.json.encode({"time": time, **fields}) + b"\n"


def record_of(line: bytes) -> AuditRecord:
    """Return the record of a line. Raises ValueError."""
    fields = msgspec.json.decode(line, type=dict)
    try:
        time = datetime.fromisoformat(fields.pop("time"))
        duration_ns = round(fields.pop("duration_ms", 0) * _MILLISECOND_NS)
        time_ns = int(time.timestamp()) * SECOND_NS + time.microsecond * _MICROSECOND_NS
        return msgspec.convert({**fields, "time_ns": time_ns, "duration_ns": duration_ns}, AuditRecord)
    except (KeyError, TypeError) as error:
        raise ValueError("not an audit record") from error
