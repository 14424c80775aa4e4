"""What a commit tells: its events for watchers, and the requests whose answers are to be remembered."""

from typing import Any

import msgspec

from memoryd_server.domain.event import Event
from memoryd_server.domain.record import decode, encode
from memoryd_server.domain.result import Result
from memoryd_server.ports.store import JournalRow


class RememberedRequest(msgspec.Struct, frozen=True, array_like=True):
    """A request that was carried out. ``fingerprint`` is a digest of its body, ``time`` in ns since the Unix epoch."""

    request_id: str
    fingerprint: bytes
    time: int
    result: Result


class JournalData(msgspec.Struct, frozen=True, array_like=True):
    """What a journal row holds; stored in this order."""

    events: tuple[Event, ...]
    requests: tuple[RememberedRequest, ...]


class Published:
    """A commit as watchers see it: the revisions after ``base_revision`` up to ``revision``.

    ``encoded`` keeps what transports made of it, so that it is made once for all watchers.
    """

    __slots__ = ("agent_id", "base_revision", "encoded", "events", "position", "revision", "size_bytes")

    def __init__(
        self,
        position: int,
        agent_id: str,
        base_revision: int,
        revision: int,
        events: tuple[Event, ...],
        size_bytes: int,
    ) -> None:
        self.position = position
        self.agent_id = agent_id
        self.base_revision = base_revision
        self.revision = revision
        self.events = events
        self.size_bytes = size_bytes
        self.encoded: dict[Any, Any] = {}


_decoder = msgspec.msgpack.Decoder(JournalData)


def encode_row(events: tuple[Event, ...], requests: tuple[RememberedRequest, ...]) -> bytes:
    """The data of a journal row."""
    return encode(JournalData(events, requests))


def decode_row(row: JournalRow) -> JournalData:
    """What a journal row holds. Raises SchemaTooNew, DataDamaged."""
    return decode(_decoder, row.data, f"journal row {row.position}")


def published(row: JournalRow) -> Published:
    """A journal row as watchers see it. Raises SchemaTooNew, DataDamaged."""
    events = decode_row(row).events
    return Published(row.position, row.agent_id, row.base_revision, row.revision, events, len(row.data))
