"""The reserve: space that is kept so that removals succeed on a full disk.

A removal needs space before it frees any: for its row in the journal, and for the changed pages in the log. The reserve
is a file beside the database, which is released while a removal is written. It does not help where the size of a file
is limited (RLIMIT_FSIZE): there, the last pages of the database are kept as well, by ``PRAGMA max_page_count``.
"""

import os
import resource
import sqlite3
from contextlib import suppress
from pathlib import Path

from memoryd_server.stores.sqlite.commits.group import PAGE_BYTES
from memoryd_server.stores.sqlite.limit import DATABASE_PAGES_MAX, RESERVE_BYTES_MAX, RESERVE_SHARE

RESERVE_NAME = "memoryd.reserve"
_MARGIN_SHARE = 8
"""One part in this many of the reserve is what a file system may need for its own records."""


class Reserve:
    """The reserve of one database. Only the writer's thread uses it."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / RESERVE_NAME
        self._pages_max = DATABASE_PAGES_MAX

    def hold(self, connection: sqlite3.Connection) -> bool:
        """Allocate the reserve, and return whether there is room beside it: for half as much again.

        The database may grow as long as that much is left to its log. Otherwise nothing that is deleted from a database
        that has filled the disk would make room for the log of the next commit. Raises sqlite3.Error.
        """
        limit = _file_bytes_max()
        try:
            size = self._size(limit)
            _allocate(self._path, size)
            probe = self._path.with_name(f"{RESERVE_NAME}-probe")
            try:
                _allocate(probe, size // 2)
            finally:
                with suppress(OSError):
                    probe.unlink(missing_ok=True)
            growth_bytes = self._free_bytes() - size // 2 - size // _MARGIN_SHARE
        except OSError:
            return False
        (used,) = connection.execute("PRAGMA page_count").fetchone()
        pages_max = used + growth_bytes // PAGE_BYTES
        if limit is not None:
            pages_max = min(pages_max, (limit - size) // PAGE_BYTES)
        self._pages_max = min(max(pages_max, 1), DATABASE_PAGES_MAX)
        self.limit(connection)
        (unused,) = connection.execute("PRAGMA freelist_count").fetchone()
        return int(pages_max - used + unused) * PAGE_BYTES >= size // 2

    @property
    def pages(self) -> int:
        """The number of pages that the reserve has room for. Raises OSError."""
        return self._size(_file_bytes_max()) // PAGE_BYTES

    @property
    def free_pages(self) -> int:
        """The number of pages for which there is space beside the reserve. Raises OSError."""
        return self._free_bytes() // PAGE_BYTES

    def release(self, connection: sqlite3.Connection) -> None:
        """Free the reserve for what is written next. Raises OSError, sqlite3.Error."""
        with self._path.open("wb"):
            pass
        limit = _file_bytes_max()
        self._pages_max = DATABASE_PAGES_MAX if limit is None else limit // PAGE_BYTES
        self.limit(connection)

    def limit(self, connection: sqlite3.Connection) -> None:
        """Apply the limit of the database's size to a connection. Raises sqlite3.Error."""
        # A number below that of the pages in use is raised to it by SQLite.
        connection.execute(f"PRAGMA max_page_count = {self._pages_max}").fetchall()

    def _free_bytes(self) -> int:
        system = os.statvfs(self._path.parent)
        return system.f_frsize * system.f_bavail

    def _size(self, limit: int | None) -> int:
        system = os.statvfs(self._path.parent)
        sizes = [RESERVE_BYTES_MAX, system.f_frsize * system.f_blocks // RESERVE_SHARE]
        return min(sizes if limit is None else [*sizes, limit // RESERVE_SHARE])


def _allocate(path: Path, size: int) -> None:
    """Make a file of this size whose blocks exist. Raises OSError."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if os.fstat(descriptor).st_size != size:
            os.ftruncate(descriptor, 0)
        if not hasattr(os, "posix_fallocate"):
            os.pwrite(descriptor, bytes(size), 0)
        elif size:
            os.posix_fallocate(descriptor, 0, size)
    finally:
        os.close(descriptor)


def _file_bytes_max() -> int | None:
    """Return the maximum size of a file that this process may write; None if it has no limit."""
    soft, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    return None if soft == resource.RLIM_INFINITY else soft
