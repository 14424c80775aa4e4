"""A few threads that read, each with its own connection, so that neither readers nor the writer wait."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from memoryd_server.ports.store import StoredAgent
from memoryd_server.stores.sqlite.failure import refusal_of
from memoryd_server.stores.sqlite.limit import READERS_MAX
from memoryd_server.stores.sqlite.scan import Scan
from memoryd_server.stores.sqlite.schema import connect_reader

_R = TypeVar("_R")


class ReaderPool:
    """Runs queries, each in one transaction, which sees a consistent state of the database."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._executor = ThreadPoolExecutor(READERS_MAX, thread_name_prefix="memoryd-store-reader")
        self._local = threading.local()
        self._connections: set[sqlite3.Connection] = set()
        self._scans: set[Scan] = set()

    async def read(self, query: Callable[[sqlite3.Connection], _R]) -> _R:
        """Return the result of a query. Raises what the query raises, and a refusal for an error of SQLite."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._read, query)

    def _read(self, query: Callable[[sqlite3.Connection], _R]) -> _R:
        try:
            connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
            if connection is None:
                connection = self._local.connection = self._connect()
            try:
                connection.execute("BEGIN")
                return query(connection)
            finally:
                connection.rollback()
        except sqlite3.Error as error:
            self._forget()
            raise refusal_of(error, self._database) from error

    def _connect(self) -> sqlite3.Connection:
        connection = connect_reader(self._database)
        self._connections.add(connection)
        return connection

    def _forget(self) -> None:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        self._local.connection = None
        if connection is not None:
            self._release(connection)

    def _release(self, connection: sqlite3.Connection) -> None:
        self._connections.discard(connection)
        with suppress(sqlite3.Error):
            connection.close()

    async def scan(self) -> AsyncGenerator[StoredAgent, None]:
        """Yield all agents that have not ended, as of one state."""
        scan = Scan(self._database)
        self._scans.add(scan)
        loop = asyncio.get_running_loop()
        try:
            while agents := await loop.run_in_executor(self._executor, scan.step):
                for agent in agents:
                    yield agent
        finally:
            with suppress(RuntimeError):  # the pool is closed, and has closed the scan
                self._executor.submit(self._end, scan)

    def _end(self, scan: Scan) -> None:
        scan.close()
        # Only after closing: a closing pool cancels this call if it is still queued, and closes the scans in the set.
        self._scans.discard(scan)

    def close(self) -> None:
        """Wait for the running queries, then close all connections."""
        self._executor.shutdown(cancel_futures=True)
        for scan in tuple(self._scans):
            scan.close()
        for connection in tuple(self._connections):
            self._release(connection)
