"""The data directory: its layout, and the lock that keeps out a second daemon."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.writers import check_writers


class DataDirectory:
    """A data directory, locked until ``close``. The kernel releases the lock if the process dies.

    A missing directory is created with mode 0700. Raises OperatorError if another daemon has the lock, if the directory
    cannot be used, or, unless ``insecure``, if other users can write to it or to a file in it.
    """

    def __init__(self, path: Path, *, insecure: bool = False) -> None:
        self.path = path
        self.snapshot_path = path / "snapshots"
        self.upload_path = path / "uploads"
        self.restore_mark_path = path / "restoring"
        self.ingest_tokens_path = path / "ingest-tokens.json"
        try:
            _make(path)
            if not insecure:
                check_writers(path)
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
            raise _in_use(self.path, self._lock) from None
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


@contextlib.contextmanager
def kept_unused(path: Path) -> Iterator[None]:
    """Keep daemons from a data directory during a with block, without changing it.

    Raises OperatorError if a daemon uses it.
    """
    try:
        lock = os.open(path / "lock", os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield
        return
    except OSError as error:
        raise OperatorError(f"data_dir: cannot use {path}: {error.strerror}") from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _in_use(path, lock) from None
        yield
    finally:
        os.close(lock)


def _in_use(path: Path, lock: int) -> OperatorError:
    holder = os.pread(lock, 20, 0).decode("ascii", "replace").strip()
    return OperatorError(f"data_dir: {path} is in use by process {holder or '(unknown)'}")


def _make(path: Path) -> None:
    """Create a directory for its owner alone, and those above it, to which others cannot write, whatever the umask."""
    for parent in reversed(path.parents):
        if not parent.exists():
            parent.mkdir(mode=0o755, exist_ok=True)
    path.mkdir(mode=0o700, exist_ok=True)
