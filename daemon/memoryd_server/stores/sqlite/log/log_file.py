"""The write-ahead log: the moments at which it is synced, and copied to the main file (a checkpoint).

Commits are slowest during a checkpoint, so the writer chooses the moment: when no commit is queued and there is
something to copy, or at the latest when the log may have LOG_PAGES_MAX pages. The checkpoint is PASSIVE: it waits for
no reader.
"""

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from memoryd_server.domain.error import DataDamaged, StoreUnavailable
from memoryd_server.stores.sqlite.durability import Durability
from memoryd_server.stores.sqlite.failure import wal_path
from memoryd_server.stores.sqlite.limit import (
    BUSY_WAIT_S,
    LOG_IDLE_PAGES_MIN,
    LOG_IDLE_S,
    LOG_PAGES_MAX,
    LOG_SYNC_S,
    READERS_WAIT_MS,
)
from memoryd_server.stores.sqlite.mark import Mark

LOST = "the log was lost while it was copied to the main file"


class LogFile:
    """The log of one database, managed by the writer. Times are seconds of ``time.monotonic``."""

    def __init__(self, database: Path, durability: Durability, mark: Mark) -> None:
        self._path = wal_path(database)
        self._journaled = durability is Durability.JOURNALED
        self._mark = mark
        self._pages = 0
        self._sync_time: float | None = None
        self._doubtful = False

    def begin(self, connection: sqlite3.Connection, generation: int, *, needed: bool) -> None:
        """Copy the log of an earlier process. Raises DataDamaged if the log was ``needed`` and is missing.

        A process that is killed while it copies leaves a main file with a part of the pages, which is inconsistent
        without the log.
        """
        self._mark.backfill(running=True)
        try:
            pages, copied = _copy(connection, "PASSIVE")
        except sqlite3.OperationalError:  # the disk is full: the log exists, and is kept
            return
        if needed and pages <= 0:
            raise DataDamaged(LOST)
        if pages == copied:
            self._mark.backfill(running=False)
            self._mark.acknowledge(generation, synced=True)

    def note_growth(self, pages_max: int, now: float) -> None:
        """Count a transaction of at most ``pages_max`` pages."""
        self._pages += pages_max
        if self._journaled and self._sync_time is None:
            self._sync_time = now + LOG_SYNC_S

    def rest_seconds(self, now: float) -> float | None:
        """Return the time that the writer may wait for work until ``maintain`` is due; None if it is not due."""
        if self._pages >= LOG_IDLE_PAGES_MIN:
            return LOG_IDLE_S
        return None if self._sync_time is None else max(self._sync_time - now, 0.0)

    def maintain(self, connection: sqlite3.Connection, generation: int, now: float, *, idle: bool) -> None:
        """Sync or copy the log if that is due. Raises sqlite3.Error, OSError.

        If ``idle`` is true, the writer waited without getting work.
        """
        if self._sync_time is not None and now >= self._sync_time:
            self._sync(generation)
        if self._pages >= LOG_PAGES_MAX or (idle and self._pages >= LOG_IDLE_PAGES_MIN):
            self._checkpoint(connection)

    def rescue(self, connection: sqlite3.Connection) -> None:
        """Recover from a failure. Raises StoreUnavailable while acknowledged commits may not be on disk.

        After a failed fsync the kernel may have dropped the pages, and a later fsync would succeed without writing
        them. So commits that were acknowledged before it must reach the disk in another way: through the main file.
        """
        if self._doubtful:
            if not self._checkpoint(connection):
                raise StoreUnavailable
            self._doubtful = False
            return
        with suppress(sqlite3.Error):  # on a full disk: a log that was copied is overwritten from its start
            self._checkpoint(connection)

    def truncate(self, connection: sqlite3.Connection, generation: int) -> bool:
        """Copy everything, and truncate the log to size 0. Return False if readers prevent it. Raises sqlite3.Error.

        Waits at most READERS_WAIT_MS for the readers of the log.
        """
        connection.execute(f"PRAGMA busy_timeout = {READERS_WAIT_MS}").fetchall()
        try:
            # Not by TRUNCATE alone: while the mark says that the log is needed, an empty log counts as a lost one.
            if not self._checkpoint(connection, "RESTART"):
                return False
            self._mark.acknowledge(generation, synced=True)
            is_busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return not is_busy
        finally:
            connection.execute(f"PRAGMA busy_timeout = {round(BUSY_WAIT_S * 1000)}").fetchall()

    def _sync(self, generation: int) -> None:
        self._sync_time = None
        self._doubtful = True
        descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self._doubtful = False
        self._mark.acknowledge(generation, synced=True)

    def _checkpoint(self, connection: sqlite3.Connection, mode: str = "PASSIVE") -> bool:
        """Copy as much as readers allow. Return True if that was everything.

        SQLite syncs the log before copying, and the main file after.
        """
        self._pages = 0
        self._mark.backfill(running=True)
        pages, copied = _copy(connection, mode)
        if pages == copied:
            self._mark.backfill(running=False)
        return pages == copied


def _copy(connection: sqlite3.Connection, mode: str) -> tuple[int, int]:
    """Run a checkpoint. Return the number of pages in the log, and that of the pages copied to the main file."""
    _, pages, copied = connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
    return pages, copied
