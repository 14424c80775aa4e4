"""The data directory: its layout, and the lock that keeps out a second daemon."""

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from memoryd_server.ops.error import OperatorError


class DataDirectory:
    """A data directory, locked until ``close``. The kernel releases the lock if the process dies.

    A missing directory is created with mode 0700. Raises OperatorError if another daemon has the lock, or if the
    directory cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.snapshot_path = path / "snapshots"
        self.upload_path = path / "uploads"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.mkdir(mode=0o700, exist_ok=True)
            self._lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            message = f"data_dir: cannot use {path}: {error.strerror}"
            raise OperatorError(message) from error
        try:
            self._take_lock()
        except BaseException:
            self.close()
            raise

    def _take_lock(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(self._lock, 20, 0).decode("ascii", "replace").strip()
            message = f"data_dir: {self.path} is in use by process {holder or '(unknown)'}"
            raise OperatorError(message) from None
        try:
            os.ftruncate(self._lock, 0)
            os.pwrite(self._lock, f"{os.getpid()}\n".encode("ascii"), 0)
        except OSError:
            # The lock works without the process id, and a full disk must not prevent the daemon from serving reads.
            return

    def close(self) -> None:
        """Release the lock. The file remains: if it were deleted, two processes could lock different files."""
        os.close(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
