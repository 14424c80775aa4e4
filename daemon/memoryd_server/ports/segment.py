"""The port of segments: parts of the journal in files, of which backups consist."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import msgspec

from memoryd_server.ports.store import JournalRow


class SegmentStart(msgspec.Struct, frozen=True, tag="header"):
    """The beginning of a segment: the point of the store after which its rows come."""

    store_id: str
    start_token: str


class SegmentEnd(msgspec.Struct, frozen=True, tag="trailer"):
    """The end of a segment. ``end_time`` is when the end of the journal was read, in ns since the Unix epoch.

    If ``complete`` is true, the segment has all rows up to that end.
    """

    end_token: str
    end_time: int
    complete: bool
    commit_count: int


class SegmentFile(msgspec.Struct, frozen=True):
    """The description of a written file. ``sha256`` is its digest, in hexadecimal."""

    size_bytes: int
    sha256: str
    encrypted: bool
    format_version: int


class SegmentDraft(Protocol):
    """A segment that is being written. Its methods raise StorageFull and StoreUnavailable."""

    async def add(self, rows: Sequence[JournalRow]) -> None:
        """Write rows, those of each shard in order."""

    async def finish(self, end: SegmentEnd) -> SegmentFile:
        """Write the end, and return the description of the file."""

    def chunks(self) -> AsyncGenerator[bytes, None]:
        """Yield the bytes of the finished file, in parts of at most 1 MiB."""


class SegmentDrafts(Protocol):
    """Writes segments into files that last only as long as they are sent."""

    def draft(self, start: SegmentStart) -> AbstractAsyncContextManager[SegmentDraft]:
        """Begin a segment. Its file is deleted at the end of the with block."""
