"""Copies the log to the main file beside the writer, which adds commits to the log meanwhile."""

import sqlite3
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from memoryd_server.stores.sqlite.limit import BUSY_WAIT_S
from memoryd_server.stores.sqlite.schema import connect_copier, connect_reader


class Copied(NamedTuple):
    """The result of a checkpoint: the number of pages in the log, and of those that are copied."""

    is_busy: int
    pages: int
    copied: int

    @property
    def is_whole(self) -> bool:
        """True if all of the log is copied."""
        return self.pages == self.copied


class Copier:
    """The connection that copies the log, and one that holds the log's content meanwhile.

    All methods are called by the writer's thread. While a copy that has begun is not ``settled``, SQLite cannot reuse
    the log, although everything may be copied: the mark says until then that the main file needs it.

    Nobody else copies. SQLite keeps the last page that a connection has copied in memory: after something was erased
    and the log was copied, that is no page of before.
    """

    def __init__(self, database: Path, *, synced: bool) -> None:
        self._database = database
        self._synced = synced
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="memoryd-store-copier")
        self._connections: tuple[sqlite3.Connection, sqlite3.Connection] | None = None
        self._copying: Future[Copied] | None = None

    @property
    def is_begun(self) -> bool:
        """True from the beginning of a copy until it is settled."""
        return self._copying is not None

    @property
    def is_over(self) -> bool:
        """True if a copy has ended, and is to be settled."""
        return self._copying is not None and self._copying.done()

    def begin(self) -> None:
        """Begin to copy what is in the log, on a thread. Waits for no reader. Raises sqlite3.Error."""
        copying, holding = self._connect()
        try:
            holding.execute("BEGIN")
            holding.execute("SELECT 1 FROM store").fetchall()
        except sqlite3.Error:
            self._disconnect()
            raise
        self._copying = self._thread.submit(_copy, copying, "PASSIVE")

    def settle(self) -> bool:
        """Wait until the copy has ended. Return True if it copied all that was in the log. Raises sqlite3.Error."""
        if self._copying is None:
            return False
        wait([self._copying])
        ended, self._copying = self._copying, None
        try:
            copied = ended.result()
            self._connect()[1].execute("COMMIT")
        except sqlite3.Error:
            self._disconnect()
            raise
        return copied.is_whole

    def copy(self, mode: str, *, readers_wait_s: float = BUSY_WAIT_S) -> Copied:
        """Run a checkpoint, and return its result. Raises sqlite3.Error.

        Must not be called while a copy is begun. Modes other than PASSIVE wait for readers of the log.
        """
        copying, _ = self._connect()
        copying.execute(f"PRAGMA busy_timeout = {round(readers_wait_s * 1000)}").fetchall()
        return _copy(copying, mode)

    def reset(self) -> None:
        """Wait until the copy has ended, and close the connections. The next copy opens them again."""
        with suppress(sqlite3.Error):
            self.settle()
        self._disconnect()

    def close(self) -> None:
        """Close the connections, and end the thread."""
        self.reset()
        self._thread.shutdown()

    def _connect(self) -> tuple[sqlite3.Connection, sqlite3.Connection]:
        if self._connections is None:
            copying = connect_copier(self._database, synced=self._synced)
            try:
                self._connections = copying, connect_reader(self._database)
            except sqlite3.Error:
                copying.close()
                raise
        return self._connections

    def _disconnect(self) -> None:
        for connection in self._connections or ():
            connection.close()
        self._connections = None


def _copy(connection: sqlite3.Connection, mode: str) -> Copied:
    return Copied(*connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchone())
