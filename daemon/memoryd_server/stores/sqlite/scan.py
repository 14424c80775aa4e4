"""A scan of all agents as of one state, in bounded steps."""

import sqlite3
import threading
from contextlib import suppress
from pathlib import Path

from memoryd_server.ports.store import AgentQuery, StoredAgent
from memoryd_server.stores.sqlite.agent_query import list_heads, with_records
from memoryd_server.stores.sqlite.failure import refusal_of
from memoryd_server.stores.sqlite.limit import SCANNED_AGENTS_PER_STEP_MAX, SCANNED_RECORDS_PER_STEP_MAX
from memoryd_server.stores.sqlite.schema import connect_reader


class Scan:
    """A scan with its own connection and transaction. Until ``close``, the log cannot be reused, and grows.

    ``close`` may be called while another thread, whose caller was cancelled, is still in ``step``.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._connection: sqlite3.Connection | None = None
        self._after = ""
        self._closed = False
        self._lock = threading.Lock()

    def step(self) -> list[StoredAgent]:
        """Return the next agents; none at the end. The first step determines the state. Raises refusals."""
        with self._lock:
            if self._closed:
                return []
            try:
                return self._read()
            except sqlite3.Error as error:
                raise refusal_of(error, self._database) from error

    def _read(self) -> list[StoredAgent]:
        if self._connection is None:
            self._connection = connect_reader(self._database)
            self._connection.execute("BEGIN")
        agents: list[StoredAgent] = []
        records = 0
        query = AgentQuery(SCANNED_AGENTS_PER_STEP_MAX, after=(0, self._after))
        for stored in list_heads(self._connection, query):
            agents.append(with_records(self._connection, stored))
            self._after = stored.head.agent_id
            records += stored.head.record_count
            if records >= SCANNED_RECORDS_PER_STEP_MAX:
                break
        return agents

    def close(self) -> None:
        """End the transaction, and close the connection."""
        with self._lock, suppress(sqlite3.Error):
            self._closed = True
            if self._connection is not None:
                self._connection.close()
