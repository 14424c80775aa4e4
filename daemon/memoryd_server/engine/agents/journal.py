"""The content of a journal row: a commit's events, for watchers; its requests with their results, which repeated
requests return; and the records that it changed, for other daemons that have the agent loaded, and for backups.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Generic

import msgspec
from typing_extensions import TypeVar

from memoryd_server.domain.agent.commit import WritesCommitted
from memoryd_server.domain.agent.event import Event, Subject
from memoryd_server.domain.agent.part import ChangeKey, Changes
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.error import DataDamaged
from memoryd_server.domain.kinds import AnySubject, RememberedResult
from memoryd_server.domain.lifecycle.agent_change import AgentResult
from memoryd_server.domain.lifecycle.erasing import Erased, ErasingResult
from memoryd_server.domain.lifecycle.record import decode, decode_record, encode
from memoryd_server.domain.lifecycle.user_removal import UserRemovalResult
from memoryd_server.ports.store import JournalRow, Record

S = TypeVar("S", bound=Subject, default=Any)
R = TypeVar("R", bound=Result, default=Any)


class RememberedRequest(msgspec.Struct, Generic[R], frozen=True, array_like=True):
    """An executed request. ``fingerprint`` is a digest of its body, ``time`` is in ns since the Unix epoch."""

    request_id: str
    fingerprint: bytes
    time: int
    result: R


class RecordChange(msgspec.Struct, frozen=True, array_like=True):
    """A record that a commit changed. ``value`` is the encoded record; None if it was deleted.

    If an event of the same row contains the record, ``value`` is that event's index: no record is stored twice.
    """

    kind: str
    key: str
    value: bytes | int | None


class JournalData(msgspec.Struct, Generic[S, R], frozen=True, array_like=True):
    """The data of a journal row. The order of the fields is the stored format.

    ``drops_records`` is true if the commit deleted all earlier records, ``ends`` if it ended the agent.
    ``next_deadline`` is the one of the agent's head. ``has_changes`` is false in rows without the changes, of an
    embedded store: rows of earlier versions, and of commits that change much that no event has.
    """

    events: tuple[Event[S], ...]
    requests: tuple[RememberedRequest[R], ...]
    changes: tuple[RecordChange, ...] = ()
    drops_records: bool = False
    ends: bool = False
    next_deadline: int | None = None
    has_changes: bool = False

    def changed_records(self) -> Iterator[tuple[ChangeKey, Any]]:
        """Yield the changed records; the value of a deleted one is None. Raises SchemaTooNew, DataDamaged."""
        for change in self.changes:
            if isinstance(change.value, int):
                value: Any = self.record_of(change.value)
            else:
                value = None if change.value is None else decode_record(change.kind, change.value)
            yield ChangeKey(change.kind, change.key), value

    def record_of(self, number: int) -> Any:
        """Return the record that an event has, by the event's index. Raises DataDamaged."""
        record = self.events[number].subject.record if 0 <= number < len(self.events) else None
        if record is None:
            raise DataDamaged("a journal row names a record that none of its events has")
        return record


class Published:
    """A commit in the form that watchers receive: the revisions after ``base_revision`` up to ``revision``.

    ``encoded`` caches what is derived from the commit, such as encoded messages: once for all watchers. ``holders`` is
    the number of queues that contain the commit. ``number`` is what the hub has numbered it; 0 if it was read from the
    journal.
    """

    __slots__ = (
        "__weakref__",
        "agent_id",
        "base_revision",
        "encoded",
        "events",
        "holders",
        "nonce",
        "number",
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
        self.holders = 0
        self.number = 0


OneResult = RememberedResult | AgentResult | UserRemovalResult | ErasingResult
AnyResult = OneResult | Erased[OneResult]
_decoder = msgspec.msgpack.Decoder(JournalData[AnySubject, AnyResult | WritesCommitted[AnyResult]])


def encode_row(
    events: tuple[Event, ...],
    requests: tuple[RememberedRequest, ...],
    changes: tuple[RecordChange, ...] = (),
    *,
    drops_records: bool = False,
    ends: bool = False,
    next_deadline: int | None = None,
    has_changes: bool = True,
) -> bytes:
    """Encode the data of a journal row."""
    return encode(JournalData(events, requests, changes, drops_records, ends, next_deadline, has_changes))


def record_changes(
    changes: Changes, puts: Iterable[Record], events: tuple[Event, ...]
) -> tuple[tuple[RecordChange, ...], int]:
    """Return changes in the form that a journal row holds, and the size of the records that no event has.

    ``puts`` are the encoded records among the changes, in order.
    """
    # This runs in every commit: a comprehension would cost a call.
    number_of = {}
    for number, event in enumerate(events):
        record = event.subject.record
        if record is not None:
            number_of[id(record)] = number
    encoded, found, size_bytes = iter(puts), [], 0
    for change, value in changes.items():
        content: int | bytes | None = None
        if value is not None:
            data = next(encoded).data
            content = number_of.get(id(value), data)
            if content is data:
                size_bytes += len(data)
        found.append(RecordChange(change.kind, change.key, content))
    return tuple(found), size_bytes


def decode_row(row: JournalRow) -> JournalData:
    """Decode the data of a journal row. Raises SchemaTooNew, DataDamaged."""
    return decode(_decoder, row.data, f"journal row {row.position}")


def published(row: JournalRow) -> Published:
    """Decode a journal row into the form that watchers receive. Raises SchemaTooNew, DataDamaged."""
    events = decode_row(row).events
    return Published(
        row.position, row.agent_id, row.base_revision, row.revision, events, len(row.data), row.shard, row.nonce
    )
