"""When the write-ahead log is synced, and when it is copied to the main file.

A checkpoint is what makes the slowest commits, so the writer chooses the moment: when nothing waits and there is
something to copy, or at the latest when the log may have LOG_PAGES_MAX pages. It is PASSIVE: it waits for no reader.
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
    """The log of one database, as its writer sees it. Times are ``time.monotonic`` seconds."""

    def __init__(self, database: Path, durability: Durability, mark: Mark) -> None:
        self._path = wal_path(database)
        self._journaled = durability is Durability.JOURNALED
        self._mark = mark
        self._pages = 0
        self._sync_time: float | None = None
        self._doubtful = False

    def begin(self, connection: sqlite3.Connection, generation: int, *, needed: bool) -> None:
        """Copy what an earlier process left. Raises DataDamaged when the log was ``needed`` and is not there.

        A process that was killed while it copied leaves a main file that is nothing without the log.
        """
        self._mark.backfill(running=True)
        try:
            pages, copied = _copy(connection, "PASSIVE")
        except sqlite3.OperationalError:  # no room to copy to: there is a log, and it stays
            return
        if needed and pages <= 0:
            raise DataDamaged(LOST)
        if pages == copied:
            self._mark.backfill(running=False)
            self._mark.acknowledge(generation, synced=True)

    def grew(self, pages_max: int, now: float) -> None:
        """Take note of a transaction of at most so many pages."""
        self._pages += pages_max
        if self._journaled and self._sync_time is None:
            self._sync_time = now + LOG_SYNC_S

    def rest_seconds(self, now: float) -> float | None:
        """How long the writer may wait for work; None when there is nothing to do without."""
        if self._pages >= LOG_IDLE_PAGES_MIN:
            return LOG_IDLE_S
        return None if self._sync_time is None else max(self._sync_time - now, 0.0)

    def keep(self, connection: sqlite3.Connection, generation: int, now: float, *, idle: bool) -> None:
        """Do what is due after a transaction or a rest. Raises sqlite3.Error, OSError."""
        if self._sync_time is not None and now >= self._sync_time:
            self._sync(generation)
        if self._pages >= LOG_PAGES_MAX or (idle and self._pages >= LOG_IDLE_PAGES_MIN):
            self._checkpoint(connection)

    def rescue(self, connection: sqlite3.Connection) -> None:
        """After a failure. Raises StoreUnavailable while it is not certain that the disk has what was acknowledged.

        A failed fsync may have lost pages that a later one no longer knows of, so what was acknowledged before its
        fsync has to reach the disk by another way: the main file.
        """
        if self._doubtful:
            if not self._checkpoint(connection):
                raise StoreUnavailable
            self._doubtful = False
            return
        with suppress(sqlite3.Error):  # a full disk has room again in a log that starts anew
            self._checkpoint(connection)

    def fold(self, connection: sqlite3.Connection, generation: int) -> bool:
        """Copy everything and cut the log to nothing; whether it was cut. Raises sqlite3.Error.

        Waits READERS_WAIT_MS for those who read what the log holds.
        """
        connection.execute(f"PRAGMA busy_timeout = {READERS_WAIT_MS}").fetchall()
        try:
            # Not at once with TRUNCATE: a log that is cut while the mark says that it is needed is a lost one.
            if not self._checkpoint(connection, "RESTART"):
                return False
            self._mark.acknowledge(generation, synced=True)
            is_held, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return not is_held
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
        """Copy what readers allow; whether that was all. SQLite syncs the log before and the main file after."""
        self._pages = 0
        self._mark.backfill(running=True)
        pages, copied = _copy(connection, mode)
        if pages == copied:
            self._mark.backfill(running=False)
        return pages == copied


def _copy(connection: sqlite3.Connection, mode: str) -> tuple[int, int]:
    """How many pages the log has, and how many of them the main file has now too."""
    _, pages, copied = connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
    return pages, copied
