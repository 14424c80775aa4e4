"""An open snapshot file, to read its bytes or its content."""

import os
from pathlib import Path
from typing import BinaryIO

from memoryd_server.domain.limit import STREAM_PIECE_BYTES_MAX
from memoryd_server.ports.snapshot import SnapshotInfo
from memoryd_server.stores import snapshot_key
from memoryd_server.stores.digested_file import DigestedFile
from memoryd_server.stores.snapshot_file import VERSION, SnapshotReader
from memoryd_server.stores.snapshot_key import DecryptingReader, SnapshotKey


class SnapshotSource:
    """One open file, which may be read repeatedly, and stays the same file if its name is reused. All methods block.

    ``size_bytes`` and ``modify_time`` (nanoseconds) are those at the time of opening.
    """

    def __init__(self, path: Path, snapshot_id: str) -> None:
        self.encrypted = False
        self.size_bytes = 0
        self.modify_time = 0
        self._path = path
        self._snapshot_id = snapshot_id
        self._file: BinaryIO | None = None
        self._cipher: DecryptingReader | None = None

    def open(self) -> None:
        """Open the file. Raises OSError."""
        self._file = self._path.open("rb")
        status = os.fstat(self._file.fileno())
        self.size_bytes, self.modify_time = status.st_size, status.st_mtime_ns
        self.encrypted = self._file.read(len(snapshot_key.MAGIC)) == snapshot_key.MAGIC
        self._file.seek(0)

    def seek(self, offset: int) -> None:
        """Continue with the bytes at an offset. Raises OSError."""
        self._opened().seek(offset)

    def chunk(self) -> bytes:
        """Return the next part of the file's bytes; empty at the end. Raises OSError."""
        return self._opened().read(STREAM_PIECE_BYTES_MAX)

    def reader(self, key: SnapshotKey | None, storage_bytes_per_agent: int) -> SnapshotReader:
        """Return a reader of the content, from the start. Raises OSError and what SnapshotReader raises."""
        self._end_cipher()
        self._opened().seek(0)
        self._digested = DigestedFile(self._opened())
        if not self.encrypted:
            return SnapshotReader(self._snapshot_id, self._digested, storage_bytes_per_agent)
        self._cipher = DecryptingReader(self._snapshot_id, self._digested, key)
        return SnapshotReader(self._snapshot_id, self._cipher, storage_bytes_per_agent)

    def info(self, reader: SnapshotReader) -> SnapshotInfo:
        """Return the description of the snapshot, after the reader has read to its end.

        A file without an id yet, which is imported, has the one that its header names.
        """
        return SnapshotInfo(
            snapshot_id=self._snapshot_id or reader.header.snapshot_id,
            agent_id=reader.header.agent_id,
            create_time=reader.header.create_time,
            trigger=reader.header.trigger,
            revision=reader.tally.revision,
            size_bytes=self.size_bytes,
            agent_count=reader.tally.agent_count,
            record_count=reader.tally.record_count,
            encrypted=self.encrypted,
            label=reader.header.label,
            request_id=reader.header.request_id,
            sha256=self._digested.sha256,
            format_version=VERSION,
        )

    def close(self) -> None:
        """Close the file."""
        self._end_cipher()
        if self._file is not None:
            self._file.close()

    def _opened(self) -> BinaryIO:
        assert self._file is not None, "the file is opened first"
        return self._file

    def _end_cipher(self) -> None:
        if self._cipher is not None:
            self._cipher.close()
            self._cipher = None
