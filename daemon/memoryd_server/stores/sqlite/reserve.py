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


class Reserve:
    """The reserve of one database. Only the writer's thread uses it."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / RESERVE_NAME

    def hold(self, connection: sqlite3.Connection) -> bool:
        """Allocate the reserve, and return whether there is room beside it: for half as much again.

        Raises sqlite3.Error.
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
        except OSError:
            return False
        pages_max = DATABASE_PAGES_MAX if limit is None else (limit - size) // PAGE_BYTES
        return _pages_left(connection, pages_max) * PAGE_BYTES >= size // 2

    def release(self, connection: sqlite3.Connection) -> None:
        """Free the reserve for what is written next. Raises OSError, sqlite3.Error."""
        with self._path.open("wb"):
            pass
        limit = _file_bytes_max()
        _limit_pages(connection, DATABASE_PAGES_MAX if limit is None else limit // PAGE_BYTES)

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


def _pages_left(connection: sqlite3.Connection, pages_max: int) -> int:
    """Limit the database to a number of pages, and return how many more it may use."""
    _limit_pages(connection, pages_max)
    (used,) = connection.execute("PRAGMA page_count").fetchone()
    (free,) = connection.execute("PRAGMA freelist_count").fetchone()
    return int(pages_max - used + free)


def _limit_pages(connection: sqlite3.Connection, pages_max: int) -> None:
    # A number below that of the pages in use is raised to it by SQLite.
    connection.execute(f"PRAGMA max_page_count = {max(pages_max, 1)}").fetchall()
