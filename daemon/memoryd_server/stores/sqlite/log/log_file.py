"""The write-ahead log: the moments at which it is synced, and copied to the main file (a checkpoint).

A checkpoint waits for the disk, so it runs beside the writer: once nothing was committed for a while, or at the latest
when the log may have LOG_PAGES_MAX pages. SQLite reuses the log only when all of it is copied. So the writer waits at
the end for a copy of what was committed meanwhile, which is little. Each of these checkpoints is PASSIVE: it waits
for no reader.
"""

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from memoryd_server.domain.error import DataDamaged, StorageFull, StoreUnavailable
from memoryd_server.stores.sqlite.durability import Durability
from memoryd_server.stores.sqlite.failure import wal_path
from memoryd_server.stores.sqlite.limit import (
    LOG_COPIED_LOOK_S,
    LOG_IDLE_PAGES_MIN,
    LOG_IDLE_S,
    LOG_PAGES_MAX,
    LOG_REST_PAGES_MAX,
    LOG_ROUNDS_MAX,
    LOG_SYNC_S,
    READERS_WAIT_S,
)
from memoryd_server.stores.sqlite.log.copier import Copier
from memoryd_server.stores.sqlite.mark import Mark
from memoryd_server.stores.sqlite.reserve import Reserve

LOST = "the log was lost while it was copied to the main file"


class LogFile:
    """The log of one database, managed by the writer. Times are seconds of ``time.monotonic``."""

    def __init__(self, database: Path, durability: Durability, mark: Mark) -> None:
        self._path = wal_path(database)
        self._journaled = durability is Durability.JOURNALED
        self._mark = mark
        self._copier = Copier(database, synced=durability is Durability.SYNCED)
        self._rounds = 0
        self._pages = 0
        """Number of pages since the last copy began."""
        self._pages_before = 0
        """Number of pages from before that which may not be copied."""
        self._pages_max = LOG_PAGES_MAX
        self._sync_time: float | None = None
        self._doubtful = False

    def begin(self, generation: int, *, needed: bool) -> None:
        """Copy the log of an earlier process. Raises DataDamaged if the log was ``needed`` and is missing.

        A process that is killed while it copies leaves a main file with a part of the pages, which is inconsistent
        without the log.
        """
        self._mark.backfill(running=True)
        try:
            copied = self._copier.copy("PASSIVE")
        except sqlite3.OperationalError:  # the disk is full: the log exists, and is kept
            return
        if needed and copied.pages <= 0:
            self.close()
            raise DataDamaged(LOST)
        if copied.is_whole:
            self._mark.settle(generation)
        else:
            self._pages_before = copied.pages - copied.copied

    def limit(self, pages_max: int) -> None:
        """Copy the log at this size already: a full disk must have room for what copying adds to the main file."""
        self._pages_max = min(LOG_PAGES_MAX, pages_max)

    def note_growth(self, pages_max: int, now: float) -> None:
        """Count a transaction of at most ``pages_max`` pages."""
        self._pages += pages_max
        if self._journaled and self._sync_time is None:
            self._sync_time = now + LOG_SYNC_S

    def ensure_room(self, reserve: Reserve, pages_max: int, pages_min: int = 0) -> None:
        """Copy the log if it could not be copied any more on a full disk once ``pages_max`` are added to it.

        To copy it takes space, which is that of the reserve if there is no other. The log grows beyond that while it is
        copied, where commits are faster than the disk. Raises StorageFull if there is too little space also after that
        for ``pages_min``, sqlite3.Error, OSError.
        """
        if not self._has_room(reserve, pages_max):
            self._checkpoint()
            if not self._has_room(reserve, pages_min):
                raise StorageFull

    def _has_room(self, reserve: Reserve, pages: int) -> bool:
        copied_later = self._pages_before + self._pages + pages
        return copied_later <= reserve.pages or copied_later + pages <= reserve.free_pages

    @property
    def is_behind(self) -> bool:
        """True while the log is copied, if much was committed meanwhile: large commits wait, so that little is left."""
        return self._copier.is_begun and self._pages > LOG_REST_PAGES_MAX

    def rest_seconds(self, now: float) -> float | None:
        """Return the time that the writer may wait for work until ``maintain`` is due; None if it is not due."""
        if self.is_behind:
            return LOG_COPIED_LOOK_S
        if self._pages >= LOG_IDLE_PAGES_MIN or self._copier.is_begun:
            return LOG_IDLE_S
        return None if self._sync_time is None else max(self._sync_time - now, 0.0)

    def maintain(self, generation: int, now: float, *, idle: bool) -> None:
        """Sync or copy the log if that is due. Raises sqlite3.Error, OSError.

        If ``idle`` is true, the writer waited without getting work.
        """
        if self._sync_time is not None and now >= self._sync_time:
            self._sync(generation)
        if self._copier.is_over:
            self._go_on_copying()
        elif not self._copier.is_begun and (
            self._pages >= self._pages_max or (idle and self._pages >= LOG_IDLE_PAGES_MIN)
        ):
            self._begin_copy()

    def close(self) -> None:
        """End the copying of the log."""
        self._copier.close()

    def rescue(self) -> None:
        """Recover from a failure. Raises StoreUnavailable while acknowledged commits may not be on disk.

        After a failed fsync the kernel may have dropped the pages, and a later fsync would succeed without writing
        them. So commits that were acknowledged before it must reach the disk in another way: through the main file.
        """
        self._copier.reset()
        if self._doubtful:
            if not self._checkpoint():
                raise StoreUnavailable
            self._doubtful = False
            return
        with suppress(sqlite3.Error):  # on a full disk: a log that was copied is overwritten from its start
            self._checkpoint()

    def truncate(self, generation: int) -> bool:
        """Copy everything, and truncate the log to size 0. Return False if readers prevent it. Raises sqlite3.Error.

        Waits at most READERS_WAIT_S for the readers of the log.
        """
        # Not by TRUNCATE alone: while the mark says that the log is needed, an empty log counts as a lost one.
        if not self._checkpoint("RESTART"):
            return False
        self._mark.acknowledge(generation, synced=True)
        return not self._copier.copy("TRUNCATE", readers_wait_s=READERS_WAIT_S).is_busy

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

    def _begin_copy(self) -> None:
        self._rounds += 1
        self._forget_growth()
        self._mark.backfill(running=True)
        self._copier.begin()

    def _go_on_copying(self) -> None:
        """Copy what was committed while the log was copied."""
        self._settle()
        if self._pages > LOG_REST_PAGES_MAX and self._rounds < LOG_ROUNDS_MAX:
            self._begin_copy()
            return
        self._rounds = 0
        if self._pages:
            self._checkpoint()

    def _settle(self) -> None:
        """Wait until the copier has ended, if it copies. Raises sqlite3.Error if that failed."""
        if self._copier.settle():
            self._pages_before = 0
            self._mark.backfill(running=False)

    def _checkpoint(self, mode: str = "PASSIVE") -> bool:
        """Copy as much as readers allow. Return True if that was everything.

        SQLite syncs the log before copying, and the main file after.
        """
        self._settle()
        self._forget_growth()
        self._mark.backfill(running=True)
        copied = self._copier.copy(mode, readers_wait_s=READERS_WAIT_S)
        self._pages_before = max(copied.pages - copied.copied, 0)
        if copied.is_whole:
            self._mark.backfill(running=False)
        return copied.is_whole

    def _forget_growth(self) -> None:
        """Count from 0 the pages that the copy that begins now does not contain."""
        self._pages_before += self._pages
        self._pages = 0
