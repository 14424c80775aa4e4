"""What a commit tells: its events, for watchers; the requests whose answers are to be remembered; and the records that
it changed, where other daemons may hold the same agent in memory.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Generic

import msgspec
from typing_extensions import TypeVar

from memoryd_server.domain.agent.event import Event, Subject
from memoryd_server.domain.agent.part import ChangeKey, Changes
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.kinds import AnySubject, RememberedResult
from memoryd_server.domain.lifecycle.agent_change import AgentResult
from memoryd_server.domain.lifecycle.record import decode, decode_record, encode
from memoryd_server.ports.store import JournalRow

S = TypeVar("S", bound=Subject, default=Any)
R = TypeVar("R", bound=Result, default=Any)


class RememberedRequest(msgspec.Struct, Generic[R], frozen=True, array_like=True):
    """A request that was carried out. ``fingerprint`` is a digest of its body, ``time`` in ns since the Unix epoch."""

    request_id: str
    fingerprint: bytes
    time: int
    result: R


class RecordChange(msgspec.Struct, frozen=True, array_like=True):
    """A record that a commit changed. ``value`` is its data, None when it was deleted.

    What an event of the same row has told already is not told twice: then ``value`` is that event's number in the row.
    """

    kind: str
    key: str
    value: bytes | int | None


class JournalData(msgspec.Struct, Generic[S, R], frozen=True, array_like=True):
    """What a journal row holds; stored in this order.

    ``drops_records`` is whether all earlier records went, ``ends`` whether the agent has ended, and
    ``next_deadline`` that of the agent's head.
    """

    events: tuple[Event[S], ...]
    requests: tuple[RememberedRequest[R], ...]
    changes: tuple[RecordChange, ...] = ()
    drops_records: bool = False
    ends: bool = False
    next_deadline: int | None = None

    def changed_records(self) -> Iterator[tuple[ChangeKey, Any]]:
        """The records that changed; None for those that were deleted. Raises SchemaTooNew, DataDamaged."""
        for change in self.changes:
            if isinstance(change.value, int):
                value: Any = self.events[change.value].subject.record
            else:
                value = None if change.value is None else decode_record(change.kind, change.value)
            yield ChangeKey(change.kind, change.key), value


class Published:
    """A commit as watchers see it: the revisions after ``base_revision`` up to ``revision``.

    ``encoded`` keeps what transports made of it, so that it is made once for all watchers.
    """

    __slots__ = (
        "agent_id",
        "base_revision",
        "encoded",
        "events",
        "nonce",
        "position",
        "revision",
        "shard",
        "size_bytes",
    )

    def __init__(
        self,
        position: int,
        agent_id: str,
        base_revision: int,
        revision: int,
        events: tuple[Event, ...],
        size_bytes: int,
        shard: int = 0,
        nonce: int = 0,
    ) -> None:
        self.shard = shard
        self.nonce = nonce
        self.position = position
        self.agent_id = agent_id
        self.base_revision = base_revision
        self.revision = revision
        self.events = events
        self.size_bytes = size_bytes
        self.encoded: dict[Any, Any] = {}


_decoder = msgspec.msgpack.Decoder(JournalData[AnySubject, RememberedResult | AgentResult])


def encode_row(
    events: tuple[Event, ...],
    requests: tuple[RememberedRequest, ...],
    changes: tuple[RecordChange, ...] = (),
    *,
    drops_records: bool = False,
    ends: bool = False,
    next_deadline: int | None = None,
) -> bytes:
    """The data of a journal row."""
    return encode(JournalData(events, requests, changes, drops_records, ends, next_deadline))


def record_changes(
    changes: Changes, data: Mapping[ChangeKey, bytes], events: tuple[Event, ...]
) -> tuple[RecordChange, ...]:
    """How changes are told to other daemons. ``data`` has the bytes of the records that are put."""
    records = ((number, event.subject.record) for number, event in enumerate(events))
    told = {id(record): number for number, record in records if record is not None}
    return tuple(
        RecordChange(change.kind, change.key, None if value is None else told.get(id(value), data.get(change)))
        for change, value in changes.items()
    )


def decode_row(row: JournalRow) -> JournalData:
    """What a journal row holds. Raises SchemaTooNew, DataDamaged."""
    return decode(_decoder, row.data, f"journal row {row.position}")


def published(row: JournalRow) -> Published:
    """A journal row as watchers see it. Raises SchemaTooNew, DataDamaged."""
    events = decode_row(row).events
    return Published(
        row.position, row.agent_id, row.base_revision, row.revision, events, len(row.data), row.shard, row.nonce
    )
