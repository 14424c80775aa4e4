"""The shared store's implementation of the store port."""

import asyncio
import contextlib
import functools
import logging
import secrets
from collections.abc import AsyncGenerator, Collection, Mapping
from functools import partial
from typing import Any

import msgspec
from redis.exceptions import RedisError
from typing_extensions import override

from memoryd_server.domain.error import HistoryLost, Refusal, StorageFull
from memoryd_server.ports.durability import Durability
from memoryd_server.ports.room import Room
from memoryd_server.ports.store import (
    NO_RECORDS,
    AgentHead,
    AgentQuery,
    Commit,
    JournalCompacted,
    JournalPage,
    JournalRow,
    ListedAgent,
    Record,
    RecordKey,
    RevisionConflict,
    Sharing,
    Store,
    StoredAgent,
    Tally,
)
from memoryd_server.stores.redis.agent import commit_command, read_agent
from memoryd_server.stores.redis.agent_listing import AgentListing, Span
from memoryd_server.stores.redis.journal import Journals
from memoryd_server.stores.redis.key import ShardKeys
from memoryd_server.stores.redis.limit import AGENTS_TOGETHER, CLOSE_S, NAMES_TOGETHER, ROOM_LOOK_S
from memoryd_server.stores.redis.opening import check_servers, open_store
from memoryd_server.stores.redis.row import agent_id_of, decode_head, padded
from memoryd_server.stores.redis.servers.failure import refusal_of
from memoryd_server.stores.redis.servers.route import Route
from memoryd_server.stores.redis.servers.topology import topology_of
from memoryd_server.stores.redis.sharing import RedisSharing
from memoryd_server.stores.redis.url import StoreUrl
from memoryd_server.stores.shard import shard_of

log = logging.getLogger("memoryd.redis")


class RedisSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a store. ``shard_count`` is used only when a store is created.

    ``timeout_s`` is the maximum time of a request, after which the store counts as unavailable. ``journal_rows_max`` is
    the approximate number of rows that all journals together retain between prunings. If ``may_create`` is true, a
    missing store is created.
    """

    prefix: str = "memoryd"
    shard_count: int = 64
    level: Durability = "journaled"
    replicas: int = 0
    timeout_s: float = 4.0
    journal_rows_max: int = 1_000_000
    may_create: bool = True


class RedisStore(Store):
    """Implements ``ports.store.Store`` with Redis or Valkey. Any number of daemons may open the same store."""

    backend = "redis"

    def __init__(self, url: StoreUrl, settings: RedisSettings | None = None) -> None:
        self.store_id = ""
        self.shard_count = 0
        self._sharing = RedisSharing(daemon_id=secrets.token_hex(8))
        self.sharing: Sharing | None = self._sharing
        self._url = url
        self._settings = settings or RedisSettings()
        self._submitted: set[asyncio.Future[int]] = set()
        self._full: dict[int, asyncio.Task[None]] = {}
        self._room = Room()
        self.room: Room | None = self._room

    @override
    async def open(self) -> None:
        """Discover the servers, and find or create the store; see the port. Raises UnfitStore, too."""
        settings, topology = self._settings, topology_of(self._url)
        try:
            await topology.discover()
            durability = await check_servers(self._url, topology, settings.level, settings.replicas)
            shard_count = settings.shard_count if settings.may_create else None
            opened = await open_store(self._url, topology, settings.prefix, shard_count)
        except (RedisError, OSError) as error:
            raise refusal_of(error) from error
        self.store_id, self.shard_count = opened.store_id, opened.shard_count
        self._shards = [ShardKeys(settings.prefix, shard) for shard in range(self.shard_count)]
        self._route = Route(self._url, topology, self._shards.__getitem__, durability, settings.timeout_s)
        self._journals = Journals(self._route, self.store_id, self._shards.__getitem__, is_cluster=topology.is_cluster)
        self._sharing.open(
            self._route, self._journals, self._shards, is_cluster=topology.is_cluster, waits=durability.waits
        )

    @override
    async def close(self) -> None:
        with contextlib.suppress(Refusal, TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                if self._submitted:
                    await asyncio.wait(self._submitted)
                await self._sharing.resign()
        for waiting in self._full.values():
            waiting.cancel()
        await asyncio.gather(*self._full.values(), return_exceptions=True)
        await self._sharing.close()
        await self._route.close()

    @override
    def shard_of(self, agent_id: str) -> int:
        return shard_of(agent_id, self.shard_count)

    @override
    def commit(self, commit: Commit) -> asyncio.Future[int]:
        shard = self.shard_of(commit.head.agent_id)
        rows_max = self._rows_of_shard(self._settings.journal_rows_max)
        command = commit_command(self._shards[shard], self.store_id, rows_max, commit)
        submitted: asyncio.Future[int] = self._route.send(
            "commits",
            shard,
            command,
            convert=partial(_committed, commit.head.agent_id),
            size_bytes=len(commit.journal or b"") + sum(len(record.data) for record in commit.puts),
        )
        self._submitted.add(submitted)
        submitted.add_done_callback(self._submitted.discard)
        submitted.add_done_callback(partial(self._note_outcome, shard))
        return submitted

    def _note_outcome(self, shard: int, submitted: asyncio.Future[int]) -> None:
        is_full = not submitted.cancelled() and isinstance(submitted.exception(), StorageFull)
        if is_full and shard not in self._full:
            self._full[shard] = asyncio.create_task(self._await_room(shard), name="await room")
            if len(self._full) == 1:
                log.error("storage full: only removals are accepted, until there is room")
            self._room.change(is_left=False)

    async def _await_room(self, shard: int) -> None:
        """Write what takes next to no memory once a second, until the server of the shard accepts it."""
        with_room = False
        while not with_room:
            await asyncio.sleep(ROOM_LOOK_S)
            with contextlib.suppress(Refusal):
                await self._route.send("commits", shard, ("HSET", self._shards[shard].shard, "again", ""))
                with_room = True
        del self._full[shard]
        if not self._full:
            log.info("there is room again: all changes are accepted")
            self._room.change(is_left=True)

    def _rows_of_shard(self, rows_max: int) -> int:
        """Return each shard's part of the rows of all journals, rounded up."""
        return -(-rows_max // self.shard_count)

    @override
    async def load_head(self, agent_id: str) -> AgentHead | None:
        head = await self._read(self.shard_of(agent_id), "HGET", self._agent_key(agent_id), "head")
        return None if head is None else decode_head(agent_id, head)

    @override
    async def load(self, agent_id: str) -> StoredAgent | None:
        return read_agent(agent_id, await self._read(self.shard_of(agent_id), "HGETALL", self._agent_key(agent_id)))

    def _agent_key(self, agent_id: str) -> str:
        return self._shards[self.shard_of(agent_id)].agent(agent_id)

    async def _read(self, shard: int, *command: bytes | str | int) -> Any:
        """Return the reply to a command. Raises HistoryLost if the shard is not of this store."""
        store_id, reply = await self._route.send("reads", shard, ("HGET", self._shards[shard].shard, "store"), command)
        self._journals.check_store(store_id)
        return reply

    @override
    async def list_agents(self, query: AgentQuery) -> list[ListedAgent]:
        """Return the agents; see the port. For an order by time, the heads of all agents are read."""
        return await AgentListing(self._names, self._head_and_record, self.shard_count).page(query)

    async def _head_and_record(self, agent_id: str, record: RecordKey | None) -> ListedAgent | None:
        fields = ("head",) if record is None else ("head", f"{record.kind}/{record.key}")
        found = await self._read(self.shard_of(agent_id), "HMGET", self._agent_key(agent_id), *fields)
        if found[0] is None:
            return None
        head = decode_head(agent_id, found[0])
        if record is None or found[1] is None:
            return ListedAgent(head)
        return ListedAgent(head, Record(record.kind, record.key, found[1]))

    async def _names(self, shard: int, span: Span, limit: int) -> list[str]:
        key, bounds = self._shards[shard].agents, (span.first, span.last)
        if span.is_descending:
            names = await self._read(shard, "ZREVRANGEBYLEX", key, *reversed(bounds), "LIMIT", 0, limit)
        else:
            names = await self._read(shard, "ZRANGEBYLEX", key, *bounds, "LIMIT", 0, limit)
        return [each.decode() for each in names]

    @override
    async def due_agents(self, now: int, limit: int, shards: Collection[int] | None = None) -> list[str]:
        last = f"({padded(now + 1)}"
        found = await asyncio.gather(
            *(
                self._route.send(
                    "reads", shard, ("ZRANGEBYLEX", self._shards[shard].deadlines, "-", last, "LIMIT", 0, limit)
                )
                for shard in (range(self.shard_count) if shards is None else shards)
            )
        )
        return [agent_id_of(each) for each in sorted(member for members in found for member in members)[:limit]]

    @override
    async def totals(self) -> Tally:
        names = [f"tally{number}" for number in range(1, len(NO_RECORDS) + 1)]
        found = await asyncio.gather(
            *(
                self._route.send("reads", shard, ("HMGET", keys.shard, *names))
                for shard, keys in enumerate(self._shards)
            )
        )
        each = (Tally(*(int(number or 0) for number in numbers)) for numbers in found)
        return functools.reduce(Tally.plus, each, NO_RECORDS)

    @override
    async def scan(self) -> AsyncGenerator[StoredAgent, None]:
        for shard in range(self.shard_count):
            span = Span.of("")
            while names := await self._names(shard, span, NAMES_TOGETHER):
                for first in range(0, len(names), AGENTS_TOGETHER):
                    for agent in await asyncio.gather(*map(self.load, names[first : first + AGENTS_TOGETHER])):
                        if agent is not None and not agent.head.ended:
                            yield agent
                span = span.beyond(names[-1])

    @override
    async def journal_end(self, shard: int = 0) -> int:
        return (await self._journals.last_point(shard)).position

    @override
    async def journal_start(self, shard: int = 0) -> int:
        return await self._journals.start(shard)

    @override
    async def read_journal(
        self, after: int, limit: int, agent_ids: Collection[str] | None = None, shard: int = 0
    ) -> JournalPage:
        try:
            return await self._journals.page(shard, after, limit, agent_ids)
        except JournalCompacted:
            if agent_ids is None or len(agent_ids) != 1:
                raise
            (agent_id,) = agent_ids
            head = await self.load_head(agent_id)
            raise JournalCompacted(await self._journals.oldest_revision(shard, agent_id, head)) from None

    @override
    async def read_journal_back(
        self, before: int, limit: int, agent_ids: Collection[str] | None = None, shard: int = 0
    ) -> JournalPage:
        return await self._journals.page_back(shard, before, limit, agent_ids)

    @override
    async def recent_journal(self, agent_id: str, since_time: int, limit: int) -> list[JournalRow]:
        return await self._journals.recent(self.shard_of(agent_id), agent_id, since_time, limit)

    @override
    async def locate(self, agent_id: str, revision: int) -> int:
        shard = self.shard_of(agent_id)
        # The end before the head: if a commit comes in between, the end is before it, and the commit is not skipped.
        end = await self.journal_end(shard)
        head = await self.load_head(agent_id)
        if head is None or head.revision <= revision:
            return end
        return await self._journals.locate(shard, agent_id, revision, head)

    @override
    async def prune_journal(self, rows_max: int, since_time: int, shards: Collection[int] | None = None) -> int:
        wanted = range(self.shard_count) if shards is None else shards
        each_max = self._rows_of_shard(rows_max)
        return sum([await self._journals.prune(shard, each_max, since_time) for shard in wanted])

    @override
    async def rewrite_journal(self, agent_id: str, rows: Mapping[int, bytes]) -> int:
        """Replace the rows; see the port. Without rows there is nothing to do: records are overwritten by commits."""
        return await self._journals.rewrite(self.shard_of(agent_id), agent_id, rows) if rows else 0


def _committed(agent_id: str, reply: Any, is_uncertain: bool) -> int:
    """Decode the reply of commit.lua. Raises HistoryLost, RevisionConflict."""
    if isinstance(reply, int):
        return reply
    if reply[0] == b"lost":
        raise HistoryLost(agent_id)
    raise RevisionConflict(agent_id, is_certain=not is_uncertain)
