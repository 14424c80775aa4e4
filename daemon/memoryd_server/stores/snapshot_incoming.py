"""A file that is being written into the snapshot directory. It gets its name once it is complete and on disk."""

import contextlib
import os
import secrets
from pathlib import Path

from memoryd_server.stores.digested_file import DigestedFile
from memoryd_server.stores.snapshot_key import EncryptingWriter, SnapshotKey

_PREFIX = ".incoming-"
"""Prefix of unfinished files. No snapshot id begins with a dot."""


class IncomingFile:
    """One file that is being written. All methods block and may raise OSError. ``discard`` must be called last."""

    def __init__(self, directory: Path, key: SnapshotKey | None = None) -> None:
        self.path = directory / f"{_PREFIX}{secrets.token_hex(8)}"
        self._key = key
        self._cipher: EncryptingWriter | None = None

    def open(self) -> None:
        """Create the file, for its owner only."""
        self._file = os.fdopen(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb")
        self._digested = DigestedFile(self._file)
        if self._key is not None:
            self._cipher = EncryptingWriter(self._digested, self._key)

    def write(self, data: bytes, /) -> int:
        """Append the data, encrypted if there is a key."""
        return self._digested.write(data) if self._cipher is None else self._cipher.write(data)

    @property
    def sha256(self) -> str:
        """The digest of the file's bytes, once it is finished."""
        return self._digested.sha256

    def finish(self) -> None:
        """Make the content durable."""
        if self._cipher is not None:
            self._cipher.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def keep(self, path: Path) -> None:
        """Give the finished file its name, durably. Raises FileExistsError if the name is taken."""
        # A link, because a rename would replace an existing file.
        os.link(self.path, path)
        try:
            self.path.unlink()
            sync_directory(path.parent)
        except OSError:
            path.unlink()
            raise

    def replace(self, path: Path) -> None:
        """Give the finished file a name, replacing any existing file. The name is not durable."""
        self.path.replace(path)

    def discard(self) -> None:
        """Close the file, and remove it unless it was kept."""
        if self._cipher is not None:
            with contextlib.suppress(OSError):
                self._cipher.close()
        if hasattr(self, "_file"):
            with contextlib.suppress(OSError):
                self._file.close()
        self.path.unlink(missing_ok=True)


def remove_leftovers(directory: Path) -> None:
    """Remove the unfinished files of interrupted writes."""
    for path in directory.glob(f"{_PREFIX}*"):
        path.unlink(missing_ok=True)


def sync_directory(directory: Path) -> None:
    """Make the names in a directory durable."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
