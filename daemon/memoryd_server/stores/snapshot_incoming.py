"""A file on its way into the snapshot directory: it gets its name when it is complete and on disk, or it vanishes."""

import contextlib
import os
import secrets
from pathlib import Path

from memoryd_server.stores.snapshot_key import EncryptingWriter, SnapshotKey

_PREFIX = ".incoming-"
"""No snapshot id begins with a dot."""


class IncomingFile:
    """One file being written. Every method blocks and raises OSError; ``discard`` is called in any case at last."""

    def __init__(self, directory: Path, key: SnapshotKey | None = None) -> None:
        self.path = directory / f"{_PREFIX}{secrets.token_hex(8)}"
        self._key = key
        self._cipher: EncryptingWriter | None = None

    def open(self) -> None:
        """Create the file, for its owner alone."""
        self._file = os.fdopen(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb")
        if self._key is not None:
            self._cipher = EncryptingWriter(self._file, self._key)

    def write(self, data: bytes, /) -> int:
        """Append the data, encrypted when there is a key."""
        return self._file.write(data) if self._cipher is None else self._cipher.write(data)

    def finish(self) -> None:
        """Make the content durable."""
        if self._cipher is not None:
            self._cipher.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def keep(self, path: Path) -> None:
        """Give the finished file its name, durably. Raises FileExistsError when the name is taken."""
        os.link(self.path, path)
        try:
            self.path.unlink()
            sync_directory(path.parent)
        except OSError:
            path.unlink()
            raise

    def replace(self, path: Path) -> None:
        """Give the finished file a name that may be taken. Only for what can be made again: it may not last."""
        self.path.replace(path)

    def discard(self) -> None:
        """Let go of the file, and remove it unless it was kept."""
        if self._cipher is not None:
            with contextlib.suppress(OSError):
                self._cipher.close()
        if hasattr(self, "_file"):
            with contextlib.suppress(OSError):
                self._file.close()
        self.path.unlink(missing_ok=True)


def remove_leftovers(directory: Path) -> None:
    """Remove what interrupted writes left behind."""
    for path in directory.glob(f"{_PREFIX}*"):
        path.unlink(missing_ok=True)


def sync_directory(directory: Path) -> None:
    """Make the names in a directory durable."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
