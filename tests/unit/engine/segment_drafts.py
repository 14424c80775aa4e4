"""Segments of the journal in memory."""

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Sequence

from memoryd_server.ports.segment import SegmentEnd, SegmentFile, SegmentStart
from memoryd_server.ports.store import JournalRow


class DictionaryDraft:
    """A segment as the list of its rows; its file is empty."""

    def __init__(self) -> None:
        self.rows: list[JournalRow] = []

    async def add(self, rows: Sequence[JournalRow]) -> None:
        self.rows += rows

    async def finish(self, end: SegmentEnd) -> SegmentFile:
        return SegmentFile(end.commit_count, "", False, 1)

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        yield b""


class DictionaryDrafts:
    """Implements ``ports.segment.SegmentDrafts``. ``drafts`` has all that were begun."""

    def __init__(self) -> None:
        self.drafts: list[DictionaryDraft] = []

    @contextlib.asynccontextmanager
    async def draft(self, start: SegmentStart) -> AsyncIterator[DictionaryDraft]:
        self.drafts.append(DictionaryDraft())
        yield self.drafts[-1]
