"""The cache of loaded agents: loaded on first use, evicted when idle if the cache exceeds its size."""

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Collection
from operator import attrgetter
from typing import Any

import msgspec

from memoryd_server.domain.agent.command import Command, R
from memoryd_server.domain.agent.part import Changes, Part
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.agents.tier import Features
from memoryd_server.domain.error import HistoryLost, RevisionInFuture
from memoryd_server.domain.lifecycle.record import decode_record, state_of
from memoryd_server.domain.limit import REQUESTS_REMEMBERED_MAX, REQUESTS_REMEMBERED_NS_MAX, SECOND_NS
from memoryd_server.domain.values.weighted_lru import WeightedLru
from memoryd_server.engine.agents.agent_observer import AgentObserver
from memoryd_server.engine.agents.clock import Clock
from memoryd_server.engine.agents.collector import long_lived
from memoryd_server.engine.agents.consistency import CURRENT, Consistency
from memoryd_server.engine.agents.feed import Feed
from memoryd_server.engine.agents.journal import decode_row
from memoryd_server.engine.agents.offload import offload
from memoryd_server.engine.agents.request_window import RequestKey, RequestWindow
from memoryd_server.engine.agents.tiers import Tiers
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write
from memoryd_server.engine.agents.writer import AgentWriter, Stored
from memoryd_server.ports.engine_telemetry import EngineTelemetry
from memoryd_server.ports.store import NEVER, JournalRow, Store, StoredAgent

log = logging.getLogger("memoryd.agents")

_kind_of = attrgetter("kind")

_AGENT_OVERHEAD_BYTES = 8_192
"""Memory of a loaded agent in addition to its parts; see docs/performance.md."""


class CacheSize(msgspec.Struct, frozen=True):
    """The maximum size of the cache. Agents in use are never evicted, so it may be exceeded."""

    agents_max: int = 10_000
    bytes_max: int = 512 * 1024 * 1024


class AgentCache:
    """The writers of the loaded agents, least recently used first. Loads an agent on demand."""

    def __init__(
        self,
        store: Store,
        feed: Feed,
        clock: Clock,
        tiers: Tiers,
        size: CacheSize,
        telemetry: EngineTelemetry | None = None,
    ) -> None:
        self.tiers = tiers
        self._telemetry = telemetry or EngineTelemetry()
        self._store = store
        self._sharing = store.sharing
        self._feed = feed
        self._clock = clock
        self._writers: WeightedLru[str, AgentWriter] = WeightedLru(
            size.bytes_max, count_max=size.agents_max, may_evict=self._may_evict, on_evict=self._note_evicted
        )
        self._loading: dict[str, asyncio.Task[AgentWriter]] = {}
        self._awaited: Counter[str] = Counter()
        self._overtaken: set[str] = set()
        self.waits_ended = False
        self._catching_up: set[asyncio.Task[None]] = set()
        self._observers: list[tuple[frozenset[str], AgentObserver]] = []

    def observe(self, observer: AgentObserver, *parts: Part[Any, Any]) -> None:
        """Notify an observer of every change of these parts from now on, once per commit."""
        self._observers.append((frozenset(kind for part in parts for kind in part.records), observer))

    def used(self, agent_id: str) -> AgentWriter | None:
        """Return the agent's writer if it is loaded, and count this as a use of it."""
        return self._writers.get(agent_id)

    def readable(self, agent_id: str, consistency: Consistency = CURRENT) -> AgentWriter | None:
        """Return the agent's writer if its state may be read without asking the store, else None; see ``current``."""
        # The lookup of ``used``, inlined: every read passes here.
        writer = self._writers.peek(agent_id)
        if writer is None:
            return None
        self._writers.touch(agent_id)
        if consistency is not CURRENT and consistency.min_revision:
            return writer if writer.state.revision >= consistency.min_revision else None
        if self._sharing is None:
            return writer
        if not consistency.max_staleness_ns or writer.is_behind:
            return None
        shard = self._store.shard_of(agent_id)
        return writer if self._feed.is_fresh(shard, consistency.max_staleness_ns / SECOND_NS) else None

    async def current(self, agent_id: str, consistency: Consistency = CURRENT) -> AgentWriter:
        """Return the agent's writer, whose state is as current as required.

        Raises RevisionInFuture for a revision that the agent has not reached, and what the store raises.
        """
        writer = self.readable(agent_id, consistency)
        if writer is not None:
            return writer
        writer = await self._latest(agent_id)
        if writer.state.revision < consistency.min_revision:
            raise RevisionInFuture(writer.state.revision)
        return writer

    async def _latest(self, agent_id: str) -> AgentWriter:
        """Return the agent's writer, whose state has all commits that ended before this call."""
        # Only a load that starts now is certain to have all commits that ended before this call. One that another
        # caller started may have read the store earlier.
        loads_now = self._writers.peek(agent_id) is None and agent_id not in self._loading
        writer = await self.writer(agent_id)
        if self._sharing is not None and not loads_now:
            doubts = writer.doubts
            if await self._sharing.changed(agent_id, writer.point):
                await self._catch_up(writer)
                return self._writers.get(agent_id) or await self.writer(agent_id)
            writer.trust(doubts)
        return writer

    async def writer(self, agent_id: str) -> AgentWriter:
        """Return the agent's writer, loading the agent if needed. Concurrent callers share one load.

        The state may lack commits of other daemons; see ``current``. Raises what the store raises.
        """
        writer = self.used(agent_id)
        if writer is not None:
            return writer
        loading = self._loading.get(agent_id)
        if loading is None:
            loading = self._loading[agent_id] = asyncio.create_task(self._load(agent_id), name=agent_id)
            loading.add_done_callback(self._end_loading)
        # Callers that await the load resume later than it ends. Until then the agent must not be evicted: they would
        # submit to a writer that the cache no longer has.
        self._awaited[agent_id] += 1
        try:
            # One caller's cancellation must not cancel the load of the others.
            return await asyncio.shield(loading)
        finally:
            self._awaited[agent_id] -= 1
            if not self._awaited[agent_id]:
                del self._awaited[agent_id]

    async def require(self, agent_id: str, features: Features, new_tier: str) -> None:
        """Raise FeatureNotInTier unless the agent's tier has these features. Raises what the store raises.

        An agent that does not exist has ``new_tier``. Commands are checked again when they are decided.
        """
        tier = self.tiers.of((await self.writer(agent_id)).state, new_tier)
        if tier is None or features <= tier.features:
            return
        # Another daemon may have changed the tier, or created the agent: a refusal is decided on the current state.
        tier = self.tiers.of((await self.current(agent_id)).state, new_tier)
        if tier is not None:
            tier.require(features)

    def submit(self, agent_id: str, command: Command[R], write: Write = UNCONDITIONAL) -> Awaitable[R]:
        """Execute a command. Return its result once it is committed. Raises its Refusal, and what the store raises.

        If the agent is loaded, the command is queued by this call itself, before the result is awaited: commands are
        executed in the order of the calls.
        """
        writer = self._writers.peek(agent_id)
        if writer is None:
            return self._load_and_submit(agent_id, command, write)
        self._writers.touch(agent_id)
        return writer.submit(command, write)

    async def _load_and_submit(self, agent_id: str, command: Command[R], write: Write) -> R:
        return await (await self.writer(agent_id)).submit(command, write)

    async def remembered(self, agent_id: str, request: RequestKey) -> Result | None:
        """Return the first result of a request, or None if it is new.

        For use cases that must prepare their command: a repeated request returns before that work. Raises
        RequestIdReused for another body, and what the store raises.
        """
        writer = await self.current(agent_id)
        result = writer.remembered(request)
        if result is not None and self._sharing is not None:
            # The change may be a commit of another daemon that is visible, but not yet as durable as a commit promises.
            # Wait until it is: the caller relies on the result.
            await self._sharing.changed(agent_id, writer.point, settle=True)
        return result

    def end_waits(self) -> None:
        """Wake all callers that wait for a commit, and set ``waits_ended``, by which they end."""
        self.waits_ended = True
        for writer in self.loaded():
            writer.wake_waiters()

    def peek(self, agent_id: str) -> AgentWriter | None:
        """Return the agent's writer if it is loaded. Does not count as a use of it."""
        return self._writers.peek(agent_id)

    def loaded(self) -> list[AgentWriter]:
        """Return the writers of all loaded agents."""
        return self._writers.values()

    def measure(self) -> None:
        """Set the gauges of the cache, and of the commands that wait."""
        loaded = self.loaded()
        self._telemetry.cache_agents.set(len(loaded))
        self._telemetry.cache_size.set(self._writers.weight)
        self._telemetry.commands_waiting.set(sum(writer.waiting for writer in loaded))

    def forget_ended(self) -> None:
        """Evict idle agents that have ended: the store may have deleted their heads, and with them their revisions."""
        for writer in self.loaded():
            if not writer.state.exists and self._is_evictable(writer):
                self._discard(writer)

    async def record_accesses(self) -> None:
        """Write the access counts of all loaded agents to the store, after the commands that are already queued."""
        writers = [writer for writer in self.loaded() if writer.accesses or not writer.idle]
        answers = [writer.submit(writer.accesses.take()) for writer in writers]
        await asyncio.gather(*answers, return_exceptions=True)

    def submit_accesses(self, agent_id: str) -> None:
        """Write the access counts of an agent, if it is loaded, together with the command that is submitted next."""
        writer = self._writers.peek(agent_id)
        if writer is not None and writer.accesses:
            writer.submit(writer.accesses.take()).add_done_callback(ignore_failure)

    def _end_loading(self, loading: asyncio.Task[AgentWriter]) -> None:
        del self._loading[loading.get_name()]
        self._overtaken.discard(loading.get_name())
        ignore_failure(loading)

    async def _load(self, agent_id: str) -> AgentWriter:
        writer = AgentWriter(
            await self._stored(agent_id),
            store=self._store,
            clock=self._clock,
            tiers=self.tiers,
            telemetry=self._telemetry,
            publish=self._feed.note_own,
            on_change=self._note_change,
            on_failure=self._discard,
            on_conflict=self._begin_catching_up,
        )
        self._telemetry.cache_loads.add()
        self._writers.put(agent_id, writer, _memory_bytes(writer.state))
        # A row that arrived during the load found no writer. It may be later than what was read.
        if agent_id in self._overtaken:
            writer.doubt()
        self._note_change(None, writer.state, None, False)
        return writer

    async def _stored(self, agent_id: str) -> Stored:
        stored = await self._store.load(agent_id)
        if stored is None:
            return Stored(AgentState(agent_id), RequestWindow(), NEVER)
        head = stored.head
        if head.ended:
            state = AgentState(agent_id, head.revision)
        else:
            state = await offload(len(stored.records), lambda: _state_of(stored))
        return Stored(state, await self._load_window(agent_id), stored.point)

    async def _load_window(self, agent_id: str) -> RequestWindow:
        since_time = self._clock() - REQUESTS_REMEMBERED_NS_MAX
        rows = await self._store.recent_journal(agent_id, since_time, REQUESTS_REMEMBERED_MAX)
        return RequestWindow(request for row in rows for request in decode_row(row).requests)

    def _begin_catching_up(self, writer: AgentWriter) -> None:
        task = asyncio.create_task(self._resolve(writer), name=f"catch up {writer.state.agent_id}")
        self._catching_up.add(task)
        task.add_done_callback(self._catching_up.discard)

    async def _resolve(self, writer: AgentWriter) -> None:
        try:
            await self._catch_up(writer)
        except Exception as failure:  # noqa: BLE001 - the callers of the batch must get any failure
            writer.fail(failure)
        else:
            if self._writers.peek(writer.state.agent_id) is writer:
                writer.go_on()
            else:
                # Catching up has discarded the writer: its state is not in the store's history, nor is its batch.
                writer.fail(HistoryLost(writer.state.agent_id))

    async def _catch_up(self, writer: AgentWriter) -> None:
        """Bring a writer's state up to date with the store. Raises HistoryLost, and what the store raises."""
        assert self._sharing is not None
        agent_id, known, doubts = writer.state.agent_id, writer.point, writer.doubts
        try:
            rows = await self._sharing.rows_since(agent_id, known)
            stored = await self._stored(agent_id) if rows is None else None
            # The pending commit may be among these rows. Wait for its result: if its row were applied first, its
            # success would be taken for lost history. A batch that begins later need not be awaited, which would never
            # end on a busy agent: it is not among these rows, expects a point older than theirs, and meets a conflict.
            await writer.answered()
            if rows is not None and not self._has_advanced(writer, rows):
                stored = await self._stored(agent_id)
                await writer.answered()
        except HistoryLost:
            # The state in memory contains a commit that the store no longer has: no reader may see it any more.
            self._discard(writer)
            writer.wake_waiters()
            raise
        # The writer may have advanced past the loaded state during the wait. If its point is still the same, the loaded
        # state is taken whatever its position: the store decides.
        is_newer = stored is not None and (writer.point == known or stored.point.position > writer.point.position)
        if stored is not None and is_newer and self._writers.peek(agent_id) is writer:
            writer.replace(stored)
        writer.trust(doubts)

    def _has_advanced(self, writer: AgentWriter, rows: list[JournalRow]) -> bool:
        """Apply the commits of other daemons. Return False if a row cannot be applied."""
        for row in rows:
            # Skip rows that were applied meanwhile, by the feed or as this daemon's own commit.
            if row.base_point == writer.point and self._writers.peek(row.agent_id) is writer:
                try:
                    writer.advance(row)
                except Exception:
                    log.exception("commit of another daemon cannot be applied", extra={"agent_id": row.agent_id})
                    return False
        return True

    @contextlib.asynccontextmanager
    async def followed(self, agent_id: str) -> AsyncIterator[bool]:
        """Apply other daemons' commits to the agent, as long as the context is open and the agent is loaded.

        Yields True if commits before it may be missing: the caller must check its condition again before it waits.
        """
        shards = (self._store.shard_of(agent_id),)
        await self._feed.follow(shards)
        try:
            yield self._sharing is not None
        finally:
            self._feed.release(shards)

    def receive(self, row: JournalRow) -> None:
        """Handle a row of the journal; see ``engine.agents.feed.Followed``."""
        writer = self._writers.peek(row.agent_id)
        if writer is not None:
            writer.receive(row)
        elif row.agent_id in self._loading:
            self._overtaken.add(row.agent_id)

    def distrust(self, shards: Collection[int]) -> None:
        """Mark the loaded agents of these shards as possibly stale; see ``engine.agents.feed.Followed``."""
        # An agent that is being loaded has no writer yet: it is marked when its load ends.
        self._overtaken.update(self._loading)
        for writer in self.loaded():
            if self._store.shard_of(writer.state.agent_id) in shards:
                writer.doubt()

    def _note_change(self, before: AgentState | None, after: AgentState, changes: Changes | None, is_own: bool) -> None:
        if before is not None and not before.create_time and after.create_time:
            log.info("working memory initialized", extra={"agent_id": after.agent_id})
        changed = None if changes is None else set(map(_kind_of, changes))
        for kinds, observer in self._observers:
            if changed is None or not kinds.isdisjoint(changed):
                observer.note_change(before, after, changes, is_own=is_own)
        # As ``_memory_bytes``, inlined: every commit passes here.
        self._writers.reweigh(after.agent_id, _AGENT_OVERHEAD_BYTES + after.memory_bytes + after.size_bytes)

    def _may_evict(self, writer: AgentWriter) -> bool:
        if self._is_evictable(writer):
            return True
        if writer.idle:
            # Its access counts would be lost. Once they are written, a later attempt evicts it.
            self.submit_accesses(writer.state.agent_id)
        return False

    def _is_evictable(self, writer: AgentWriter) -> bool:
        return writer.idle and not writer.accesses and writer.state.agent_id not in self._awaited

    def _discard(self, writer: AgentWriter) -> None:
        agent_id = writer.state.agent_id
        if self._writers.peek(agent_id) is writer:
            self._writers.pop(agent_id)
            self._note_gone(writer)

    def _note_evicted(self, writer: AgentWriter) -> None:
        self._telemetry.cache_evictions.add()
        self._note_gone(writer)

    def _note_gone(self, writer: AgentWriter) -> None:
        for _, observer in self._observers:
            observer.note_gone(writer.state)


def _state_of(stored: StoredAgent) -> AgentState:
    head = stored.head
    values = (decode_record(record.kind, record.data) for record in stored.records)
    with long_lived(len(stored.records)):
        state = state_of(head.agent_id, head.revision, head.create_time, head.update_time, values)
    # The deadline may be too early. Then expiry must find that out, so that the head says so too.
    return msgspec.structs.replace(state, next_deadline=head.next_deadline)


def _memory_bytes(state: AgentState) -> int:
    return _AGENT_OVERHEAD_BYTES + state.memory_bytes + state.size_bytes


def ignore_failure(answer: "asyncio.Future[Any]") -> None:
    """Retrieve a future's exception, which asyncio would log otherwise. Other callers report it, or nobody needs it."""
    if not answer.cancelled():
        answer.exception()
