"""A file whose bytes are added to a SHA-256 digest as they are written or read."""

import hashlib
from typing import BinaryIO


class DigestedFile:
    """An open file that is written, or read, once and in order. It does not close the file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()

    @property
    def sha256(self) -> str:
        """The digest of the bytes so far, in hexadecimal."""
        return self._digest.hexdigest()

    def write(self, data: bytes, /) -> int:
        """Write all of the data. Raises OSError."""
        self._digest.update(data)
        return self._file.write(data)

    def read(self, size: int = -1, /) -> bytes:
        """Return up to ``size`` bytes; empty at the end. Raises OSError."""
        data = self._file.read(size)
        self._digest.update(data)
        return data

    def flush(self) -> None:
        """Pass buffered bytes on. Raises OSError."""
        self._file.flush()
