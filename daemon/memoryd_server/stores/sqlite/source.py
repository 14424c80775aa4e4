"""A read-only view of an embedded store, while the daemon to which it belongs may write."""

import asyncio
import sqlite3
from functools import partial
from pathlib import Path

from typing_extensions import override

from memoryd_server.domain.error import DataDamaged, StoreUnavailable
from memoryd_server.ports.store import AgentHead, AgentQuery, ListedAgent, StoredAgent
from memoryd_server.ports.store_factory import StoreSource
from memoryd_server.stores.sqlite import agent_query
from memoryd_server.stores.sqlite.failure import has_log, refusal_of
from memoryd_server.stores.sqlite.log.log_file import LOST
from memoryd_server.stores.sqlite.mark import read_mark
from memoryd_server.stores.sqlite.reader import ReaderPool
from memoryd_server.stores.sqlite.row import Tail
from memoryd_server.stores.sqlite.verification import DATABASE_NAME, MARK_NAME, verify_files


class SqliteSource(StoreSource):
    """Implements ``StoreSource`` with read-only connections."""

    def __init__(self, directory: Path) -> None:
        self.store_id = ""
        self._database = directory / DATABASE_NAME

    @override
    async def open(self) -> None:
        """Check the files as a daemon does at its start.

        Raises DataDamaged and SchemaTooNew; StoreUnavailable, also if there is no database in the directory.
        """
        tail = await asyncio.to_thread(_verified_tail, self._database)
        self.store_id = tail.store_id
        self._readers = ReaderPool(self._database)

    @override
    async def close(self) -> None:
        """Close the files."""
        await asyncio.to_thread(self._readers.close)

    @override
    async def list_agents(self, query: AgentQuery) -> list[ListedAgent]:
        return await self._readers.read(partial(agent_query.list_agents, query=query))

    @override
    async def load_head(self, agent_id: str) -> AgentHead | None:
        return await self._readers.read(partial(agent_query.load_head, agent_id=agent_id))

    @override
    async def load(self, agent_id: str) -> StoredAgent | None:
        return await self._readers.read(partial(agent_query.load, agent_id=agent_id))


def _verified_tail(database: Path) -> Tail:
    mark = database.with_name(MARK_NAME)
    try:
        # The mark first: the daemon may write meanwhile, and it advances the database before the mark.
        found = read_mark(mark)
        tail = verify_files(database, found)
        if tail is None:
            raise StoreUnavailable from FileNotFoundError(f"{database} is missing or empty")
        # An unchanged mark that says "copying", without a log, means a lost log. A running daemon records the end of
        # copying in the mark before it truncates the log, so the mark would have changed.
        if found is not None and found.backfilling and not has_log(database) and read_mark(mark) == found:
            raise DataDamaged(LOST)
    except (sqlite3.Error, OSError) as error:
        raise refusal_of(error, database) from error
    return tail
