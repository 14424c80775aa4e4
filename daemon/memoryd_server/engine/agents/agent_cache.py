"""The agents that are in memory: loaded on first touch, let go when idle and others need the room."""

import asyncio
import contextlib
import logging
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Awaitable, Collection
from typing import Any

import msgspec

from memoryd_server.domain.agent.command import Command, R
from memoryd_server.domain.agent.part import Changes, Part
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.error import HistoryLost
from memoryd_server.domain.lifecycle.record import decode_record, state_of
from memoryd_server.domain.limit import REQUESTS_REMEMBERED_MAX, REQUESTS_REMEMBERED_NS_MAX, SECOND_NS, Limits
from memoryd_server.engine.agents.agent_observer import AgentObserver
from memoryd_server.engine.agents.clock import Clock
from memoryd_server.engine.agents.feed import Feed
from memoryd_server.engine.agents.journal import decode_row
from memoryd_server.engine.agents.offload import offload
from memoryd_server.engine.agents.request_window import RequestKey, RequestWindow
from memoryd_server.engine.agents.writer import AgentWriter, Stored
from memoryd_server.ports.store import NEVER, JournalRow, Store, StoredAgent

log = logging.getLogger("memoryd.agents")

_AGENT_OVERHEAD_BYTES = 8_192
"""What an agent takes in memory beside its parts; see docs/performance.md."""

_LOOKS_MAX = 16
"""How many of the longest unused agents are looked at when one must go."""


class CacheSize(msgspec.Struct, frozen=True):
    """How much may stay in memory. Agents in use stay even past it."""

    agents_max: int = 10_000
    bytes_max: int = 512 * 1024 * 1024


class AgentCache:
    """Finds an agent's writer, loading the agent when it is not there."""

    def __init__(
        self,
        store: Store,
        feed: Feed,
        *,
        clock: Clock,
        limits: Limits,
        size: CacheSize,
    ) -> None:
        self.limits = limits
        self._store = store
        self._sharing = store.sharing
        self._feed = feed
        self._clock = clock
        self._size = size
        self._writers: OrderedDict[str, AgentWriter] = OrderedDict()
        self._loading: dict[str, asyncio.Task[AgentWriter]] = {}
        self._awaited: Counter[str] = Counter()
        self._overtaken: set[str] = set()
        self.waits_ended = False
        self._catching_up: set[asyncio.Task[None]] = set()
        self._observers: list[tuple[tuple[str, ...], AgentObserver]] = []
        self._bytes = 0

    def observe(self, observer: AgentObserver, *parts: Part[Any, Any]) -> None:
        """Notify an observer of every change of these parts from now on."""
        self._observers.append((tuple(part.name for part in parts), observer))

    def used(self, agent_id: str) -> AgentWriter | None:
        """The agent's writer if it is in memory."""
        writer = self._writers.get(agent_id)
        if writer is not None:
            self._writers.move_to_end(agent_id)
        return writer

    def readable(self, agent_id: str, max_staleness_ns: int = 0) -> AgentWriter | None:
        """The agent's writer if it may be read without asking the store; see ``current``."""
        # As ``used``, without its call: every read comes this way.
        writer = self._writers.get(agent_id)
        if writer is None:
            return None
        self._writers.move_to_end(agent_id)
        if self._sharing is None:
            return writer
        if not max_staleness_ns or writer.is_behind:
            return None
        shard = self._store.shard_of(agent_id)
        return writer if self._feed.is_fresh(shard, max_staleness_ns / SECOND_NS) else None

    async def current(self, agent_id: str, max_staleness_ns: int = 0) -> AgentWriter:
        """The agent's writer, with all that was committed before this call, or so long before it at most.

        Raises what the store raises.
        """
        writer = self.readable(agent_id, max_staleness_ns)
        if writer is not None:
            return writer
        # One that somebody else is loading may have been read before this call.
        is_loaded_anew = agent_id not in self._writers and agent_id not in self._loading
        writer = await self.writer(agent_id)
        if self._sharing is not None and not is_loaded_anew:
            doubts = writer.doubts
            if await self._sharing.changed(agent_id, writer.point):
                await self._catch_up(writer)
                return self._writers.get(agent_id) or await self.writer(agent_id)
            writer.trust(doubts)
        return writer

    async def writer(self, agent_id: str) -> AgentWriter:
        """The agent's writer. Raises what the store raises."""
        writer = self.used(agent_id)
        if writer is not None:
            return writer
        loading = self._loading.get(agent_id)
        if loading is None:
            loading = self._loading[agent_id] = asyncio.create_task(self._load(agent_id), name=agent_id)
            loading.add_done_callback(self._end_loading)
        self._awaited[agent_id] += 1
        try:
            return await asyncio.shield(loading)
        finally:
            self._awaited[agent_id] -= 1
            if not self._awaited[agent_id]:
                del self._awaited[agent_id]

    def submit(
        self, agent_id: str, command: Command[R], origin: str = "", request: RequestKey | None = None
    ) -> Awaitable[R]:
        """Carry a command out; its result once it is committed. Raises its Refusal, and what the store raises.

        The command of an agent in memory is queued at once, before the result is awaited.
        """
        writer = self._writers.get(agent_id)
        if writer is None:
            return self._load_and_submit(agent_id, command, origin, request)
        self._writers.move_to_end(agent_id)
        return writer.submit(command, origin, request)

    async def _load_and_submit(self, agent_id: str, command: Command[R], origin: str, request: RequestKey | None) -> R:
        return await (await self.writer(agent_id)).submit(command, origin, request)

    async def remembered(self, agent_id: str, request: RequestKey) -> Result | None:
        """The result of a request that was carried out, None when it is new, before it is known what it changes.

        Raises RequestIdReused for another body, and what the store raises.
        """
        writer = await self.current(agent_id)
        result = writer.remembered(request)
        if result is not None and self._sharing is not None:
            # It may be answered before the change that it tells of is as durable as is promised.
            await self._sharing.changed(agent_id, writer.point, settle=True)
        return result

    def end_waits(self) -> None:
        """Wake everybody who waits for a commit; ``waits_ended`` from now on."""
        self.waits_ended = True
        for writer in self.loaded():
            writer.wake_waiters()

    def peek(self, agent_id: str) -> AgentWriter | None:
        """The agent's writer if it is in memory; does not count as use."""
        return self._writers.get(agent_id)

    def loaded(self) -> list[AgentWriter]:
        """The writers that are in memory."""
        return list(self._writers.values())

    def forget_ended(self) -> None:
        """Let idle agents go that have ended: the store may have forgotten their heads."""
        for writer in self.loaded():
            if not writer.state.exists and self._may_go(writer):
                self._discard(writer)

    async def record_accesses(self) -> None:
        """Write the access counts of all loaded agents down, after whatever waits there."""
        writers = [writer for writer in self.loaded() if writer.accesses or not writer.idle]
        answers = [writer.submit(writer.accesses.take()) for writer in writers]
        await asyncio.gather(*answers, return_exceptions=True)

    def _end_loading(self, loading: asyncio.Task[AgentWriter]) -> None:
        del self._loading[loading.get_name()]
        self._overtaken.discard(loading.get_name())
        _ignore(loading)

    async def _load(self, agent_id: str) -> AgentWriter:
        writer = AgentWriter(
            await self._stored(agent_id),
            store=self._store,
            clock=self._clock,
            limits=self.limits,
            publish=self._feed.note_own,
            on_change=self._note_change,
            on_failure=self._discard,
            on_conflict=self._begin_catching_up,
        )
        self._writers[agent_id] = writer
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
        except Exception as failure:  # noqa: BLE001 - whoever waits for the batch is told, whatever it is
            writer.fail(failure)
        else:
            if self._writers.get(writer.state.agent_id) is writer:
                writer.go_on()
            else:
                writer.fail(HistoryLost(writer.state.agent_id))

    async def _catch_up(self, writer: AgentWriter) -> None:
        """Bring an agent up to what the store has."""
        assert self._sharing is not None
        agent_id, known, doubts = writer.state.agent_id, writer.point, writer.doubts
        try:
            rows = await self._sharing.rows_since(agent_id, known)
            stored = await self._stored(agent_id) if rows is None else None
            # What is under way may be among what was read. A later batch is not, since what it expects is older, and
            # meets a conflict: there is no need to wait for it, too, which would have no end on a busy agent.
            await writer.answered()
            if rows is not None and not self._has_advanced(writer, rows):
                stored = await self._stored(agent_id)
                await writer.answered()
        except HistoryLost:
            self._discard(writer)
            writer.wake_waiters()
            raise
        is_newer = stored is not None and (writer.point == known or stored.point.position > writer.point.position)
        if stored is not None and is_newer and self._writers.get(agent_id) is writer:
            writer.replace(stored)
        writer.trust(doubts)

    def _has_advanced(self, writer: AgentWriter, rows: list[JournalRow]) -> bool:
        """Apply what other daemons committed; whether that could be done."""
        for row in rows:
            # Some may have come by meanwhile, and commits of its own after them.
            if row.base_point == writer.point and self._writers.get(row.agent_id) is writer:
                try:
                    writer.advance(row)
                except Exception:
                    log.exception("commit of another daemon cannot be applied", extra={"agent_id": row.agent_id})
                    return False
        return True

    @contextlib.asynccontextmanager
    async def followed(self, agent_id: str) -> AsyncIterator[bool]:
        """Meanwhile, what other daemons commit to the agent reaches it in memory.

        The value is whether there may have been such commits that did not, before.
        """
        shards = (self._store.shard_of(agent_id),)
        await self._feed.follow(shards)
        try:
            yield self._sharing is not None
        finally:
            self._feed.release(shards)

    def receive(self, row: JournalRow) -> None:
        """Another daemon has committed; see ``engine.agents.feed.Followed``."""
        writer = self._writers.get(row.agent_id)
        if writer is not None:
            writer.receive(row)
        elif row.agent_id in self._loading:
            self._overtaken.add(row.agent_id)

    def distrust(self, shards: Collection[int]) -> None:
        """What is in memory of these shards' agents may lack commits; see ``engine.agents.feed.Followed``."""
        self._overtaken.update(self._loading)
        for agent_id, writer in self._writers.items():
            if self._store.shard_of(agent_id) in shards:
                writer.doubt()

    def _note_change(self, before: AgentState | None, after: AgentState, changes: Changes | None, is_own: bool) -> None:
        if before is not None and not before.create_time and after.create_time:
            log.info("working memory initialized", extra={"agent_id": after.agent_id})
        parts_before = None if before is None else before.parts
        parts = after.parts
        for names, observer in self._observers:
            for name in names:
                if parts_before is None or parts.get(name) is not parts_before.get(name):
                    observer.note_change(before, after, changes, is_own=is_own)
                    break
        if before is None:
            self._bytes += _memory_bytes(after)
        else:
            self._bytes += after.memory_bytes + after.size_bytes - before.memory_bytes - before.size_bytes
        if self._bytes > self._size.bytes_max or len(self._writers) > self._size.agents_max:
            self._let_idle_agents_go()

    def _let_idle_agents_go(self) -> None:
        for _ in range(_LOOKS_MAX):
            agent_id, writer = next(iter(self._writers.items()))
            within_size = self._bytes <= self._size.bytes_max and len(self._writers) <= self._size.agents_max
            if within_size or len(self._writers) == 1:
                return
            if self._may_go(writer):
                self._discard(writer)
                continue
            self._writers.move_to_end(agent_id)
            if writer.idle and writer.accesses:
                writer.submit(writer.accesses.take()).add_done_callback(_ignore)

    def _may_go(self, writer: AgentWriter) -> bool:
        return writer.idle and not writer.accesses and writer.state.agent_id not in self._awaited

    def _discard(self, writer: AgentWriter) -> None:
        state = writer.state
        if self._writers.get(state.agent_id) is writer:
            del self._writers[state.agent_id]
            for _, observer in self._observers:
                observer.note_gone(state)
            self._bytes -= _memory_bytes(state)


def _state_of(stored: StoredAgent) -> AgentState:
    head = stored.head
    values = (decode_record(record.kind, record.data) for record in stored.records)
    state = state_of(head.agent_id, head.revision, head.create_time, head.update_time, values)
    # The deadline may be too early. Then expiry must find that out, so that the head says so too.
    return msgspec.structs.replace(state, next_deadline=head.next_deadline)


def _memory_bytes(state: AgentState) -> int:
    return _AGENT_OVERHEAD_BYTES + state.memory_bytes + state.size_bytes


def _ignore(answer: "asyncio.Future[Any]") -> None:
    """Take an exception that somebody else is told of, or nobody needs to be."""
    if not answer.cancelled():
        answer.exception()
