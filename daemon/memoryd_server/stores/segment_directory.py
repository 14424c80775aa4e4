"""Segments as unfinished files of the directory of snapshots, which a start of the daemon removes."""

import contextlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from pathlib import Path

from memoryd_server.domain.limit import STREAM_PIECE_BYTES_MAX
from memoryd_server.ports.segment import SegmentEnd, SegmentFile, SegmentStart
from memoryd_server.ports.store import JournalRow
from memoryd_server.stores.file_error import storage_errors
from memoryd_server.stores.segment_file import VERSION, SegmentFileWriter
from memoryd_server.stores.snapshot_incoming import IncomingFile
from memoryd_server.stores.snapshot_key import SnapshotKey
from memoryd_server.stores.snapshot_thread import run_in_thread

log = logging.getLogger("memoryd.snapshots")


class SegmentDirectory:
    """Implements ``ports.segment.SegmentDrafts``. With a key, segments are encrypted."""

    def __init__(self, directory: Path, key: SnapshotKey | None) -> None:
        self._directory = directory
        self._key = key

    @contextlib.asynccontextmanager
    async def draft(self, start: SegmentStart) -> AsyncIterator["DraftFile"]:
        """Begin a segment. Its file is deleted at the end of the with block."""
        incoming = IncomingFile(self._directory, self._key)
        try:
            with _storage_errors():
                await run_in_thread(incoming.open)
                draft = DraftFile(incoming, start, encrypted=self._key is not None)
                await run_in_thread(draft.begin)
            yield draft
        finally:
            with _storage_errors():
                await run_in_thread(incoming.discard)


class DraftFile:
    """Implements ``ports.segment.SegmentDraft``."""

    def __init__(self, incoming: IncomingFile, start: SegmentStart, *, encrypted: bool) -> None:
        self._incoming = incoming
        self._writer = SegmentFileWriter(incoming, start)
        self._encrypted = encrypted

    def begin(self) -> None:
        """Write the parts before the rows. Blocks, and raises OSError."""
        self._writer.begin()

    async def add(self, rows: Sequence[JournalRow]) -> None:
        """Write rows."""
        with _storage_errors():
            await run_in_thread(self._writer.add, rows)

    async def finish(self, end: SegmentEnd) -> SegmentFile:
        """Write the end, and return the description of the file."""
        with _storage_errors():
            return await run_in_thread(self._finish, end)

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """Yield the bytes of the finished file."""
        with _storage_errors(), self._incoming.path.open("rb") as file:
            while chunk := await run_in_thread(file.read, STREAM_PIECE_BYTES_MAX):
                yield chunk

    def _finish(self, end: SegmentEnd) -> SegmentFile:
        self._writer.finish(end)
        self._incoming.finish()
        size_bytes = self._incoming.path.stat().st_size
        return SegmentFile(size_bytes, self._incoming.sha256, self._encrypted, VERSION)


def _storage_errors() -> contextlib.AbstractContextManager[None]:
    return storage_errors(log, "snapshot directory")
