"""The embedded store's implementation of the store port."""

import asyncio
from collections.abc import AsyncGenerator, Collection, Mapping
from functools import partial
from pathlib import Path

from typing_extensions import override

from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.ports.instrument import Histogram
from memoryd_server.ports.room import Room
from memoryd_server.ports.store import (
    AgentHead,
    AgentQuery,
    Commit,
    JournalPage,
    JournalRow,
    ListedAgent,
    Sharing,
    Store,
    StoredAgent,
    Tally,
)
from memoryd_server.stores.sqlite import agent_query, journal_query
from memoryd_server.stores.sqlite.commits.work import Pruning, Rewriting, Submission, Truncating
from memoryd_server.stores.sqlite.durability import Durability
from memoryd_server.stores.sqlite.limit import TRUNCATION_REST_S, TRUNCATIONS_MAX
from memoryd_server.stores.sqlite.opening import open_files
from memoryd_server.stores.sqlite.reader import ReaderPool
from memoryd_server.stores.sqlite.verification import DATABASE_NAME
from memoryd_server.stores.sqlite.writer import Writer


class SqliteStore(Store):
    """Implements ``ports.store.Store`` with ``memoryd.db`` in a directory that no other process uses.

    ``open`` creates the directory if it is missing. The file does not shrink: freed pages are reused.
    """

    backend = "sqlite"
    shard_count = 1
    sharing: Sharing | None = None

    def __init__(self, directory: Path, durability: Durability = Durability.SYNCED) -> None:
        self.store_id = ""
        self._directory = directory
        self._durability = durability
        self._is_hasty = False
        self._transactions: Histogram | None = None
        self.room: Room | None = None

    @override
    async def open(self) -> None:
        """Open the files; see the port."""
        opened = await asyncio.to_thread(open_files, self._directory, self._durability)
        self.store_id = opened.tail.store_id
        database = self._directory / DATABASE_NAME
        self._readers = ReaderPool(database)
        self._loop = asyncio.get_running_loop()
        self.room = Room()
        self._writer = Writer(
            database, self._durability, opened, self._loop, self.room, self._transactions, is_hasty=self._is_hasty
        )
        self._writer.start()

    @override
    async def close(self) -> None:
        # The loop has passed on what was submitted by the time that its readers have ended.
        # Readers first: the writer truncates the log at its end, which a reader would prevent.
        await asyncio.to_thread(self._readers.close)
        await asyncio.to_thread(self._writer.stop)

    @override
    def hasten(self) -> None:
        self._is_hasty = True

    @override
    def measure(self, transactions: Histogram) -> None:
        self._transactions = transactions

    @override
    def shard_of(self, agent_id: str) -> int:
        return 0

    @override
    def commit(self, commit: Commit) -> asyncio.Future[int]:
        future: asyncio.Future[int] = self._loop.create_future()
        self._writer.submit(Submission(commit, future))
        return future

    @override
    async def load_head(self, agent_id: str) -> AgentHead | None:
        return await self._readers.read(partial(agent_query.load_head, agent_id=agent_id))

    @override
    async def load(self, agent_id: str) -> StoredAgent | None:
        return await self._readers.read(partial(agent_query.load, agent_id=agent_id))

    @override
    async def list_agents(self, query: AgentQuery) -> list[ListedAgent]:
        return await self._readers.read(partial(agent_query.list_agents, query=query))

    @override
    async def due_agents(self, now: int, limit: int, shards: Collection[int] | None = None) -> list[str]:
        return await self._readers.read(partial(agent_query.due_agents, now=now, limit=limit))

    @override
    async def totals(self) -> Tally:
        return await self._readers.read(agent_query.totals)

    @override
    def scan(self) -> AsyncGenerator[StoredAgent, None]:
        return self._readers.scan()

    @override
    async def journal_end(self, shard: int = 0) -> int:
        return await self._readers.read(journal_query.journal_end)

    @override
    async def journal_start(self, shard: int = 0) -> int:
        return await self._readers.read(journal_query.journal_start)

    @override
    async def read_journal(
        self, after: int, limit: int, agent_ids: Collection[str] | None = None, shard: int = 0
    ) -> JournalPage:
        query = partial(journal_query.read_journal, after=after, limit=limit, agent_ids=agent_ids)
        return await self._readers.read(query)

    @override
    async def read_journal_back(
        self, before: int, limit: int, agent_ids: Collection[str] | None = None, shard: int = 0
    ) -> JournalPage:
        query = partial(journal_query.read_journal_back, before=before, limit=limit, agent_ids=agent_ids)
        return await self._readers.read(query)

    @override
    async def recent_journal(self, agent_id: str, since_time: int, limit: int) -> list[JournalRow]:
        query = partial(journal_query.recent_journal, agent_id=agent_id, since_time=since_time, limit=limit)
        return await self._readers.read(query)

    @override
    async def locate(self, agent_id: str, revision: int) -> int:
        return await self._readers.read(partial(journal_query.locate, agent_id=agent_id, revision=revision))

    @override
    async def prune_journal(self, rows_max: int, since_time: int, shards: Collection[int] | None = None) -> int:
        """Delete old rows in steps, between which commits are carried out; see the port."""
        dropped = 0
        # Of now: a step may find no end where commits go on.
        surplus_position = await self.journal_end() - rows_max
        rows = 1
        while rows:
            future: asyncio.Future[int] = self._loop.create_future()
            self._writer.submit(Pruning(surplus_position, since_time, future))
            rows = await future
            dropped += rows
        return dropped

    @override
    async def rewrite_journal(self, agent_id: str, rows: Mapping[int, bytes]) -> int:
        """Replace the rows, then truncate the log, which may still contain the overwritten data; see the port."""
        rewritten: asyncio.Future[int] = self._loop.create_future()
        self._writer.submit(Rewriting(agent_id, rows, rewritten))
        count = await rewritten
        for attempt in range(TRUNCATIONS_MAX):
            await asyncio.sleep(TRUNCATION_REST_S if attempt else 0)
            truncated: asyncio.Future[int] = self._loop.create_future()
            self._writer.submit(Truncating(truncated))
            if await truncated:
                return count
        raise StoreUnavailable
