"""The agents that are in memory: loaded on first touch, let go when idle and others need the room."""

import asyncio
from collections import Counter, OrderedDict
from typing import Any

import msgspec

from memoryd_server.domain.limit import REQUESTS_REMEMBERED_MAX, REQUESTS_REMEMBERED_NS_MAX, Limits
from memoryd_server.domain.record import decode_record, state_of
from memoryd_server.domain.state import AgentState
from memoryd_server.engine.change_log import log_begin
from memoryd_server.engine.clock import Clock
from memoryd_server.engine.hub import Hub
from memoryd_server.engine.journal import decode_row
from memoryd_server.engine.request_window import RequestWindow
from memoryd_server.engine.writer import AgentWriter
from memoryd_server.ports.store import Store
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry

_AGENT_OVERHEAD_BYTES = 8_192
_ENTRY_OVERHEAD_BYTES = 1_536
"""What an agent and an entry take in memory beside their texts; see docs/performance.md."""
_FRAGMENT_OVERHEAD_BYTES = 768
_WORD_BYTES = 192
_WORD_OF_FRAGMENT_BYTES = 48
"""What a fragment takes beside its texts, each word of the index, and each fragment that has a word; by tracemalloc."""


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
        hub: Hub,
        *,
        clock: Clock,
        limits: Limits,
        size: CacheSize,
        telemetry: WorkingMemoryTelemetry,
    ) -> None:
        self.limits = limits
        self._store = store
        self._hub = hub
        self._clock = clock
        self._size = size
        self._telemetry = telemetry
        self._writers: OrderedDict[str, AgentWriter] = OrderedDict()
        self._loading: dict[str, asyncio.Task[AgentWriter]] = {}
        self._awaited: Counter[str] = Counter()
        self._bytes = 0

    def used(self, agent_id: str) -> AgentWriter | None:
        """The agent's writer if it is in memory."""
        writer = self._writers.get(agent_id)
        if writer is not None:
            self._writers.move_to_end(agent_id)
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
        _ignore(loading)

    async def _load(self, agent_id: str) -> AgentWriter:
        stored = await self._store.load(agent_id)
        state = AgentState(agent_id)
        window = RequestWindow()
        if stored is not None:
            head = stored.head
            if head.ended:
                state = AgentState(agent_id, head.revision)
            else:
                values = (decode_record(record.kind, record.data) for record in stored.records)
                state = state_of(agent_id, head.revision, head.create_time, head.update_time, values)
            window = await self._load_window(agent_id)
        writer = AgentWriter(
            state,
            window,
            store=self._store,
            clock=self._clock,
            limits=self.limits,
            publish=self._hub.publish,
            on_change=self._note_change,
            on_failure=self._discard,
        )
        self._writers[agent_id] = writer
        self._note_change(None, state)
        return writer

    async def _load_window(self, agent_id: str) -> RequestWindow:
        since_time = self._clock() - REQUESTS_REMEMBERED_NS_MAX
        rows = await self._store.recent_journal(agent_id, since_time, REQUESTS_REMEMBERED_MAX)
        return RequestWindow(request for row in rows for request in decode_row(row).requests)

    def _note_change(self, before: AgentState | None, after: AgentState) -> None:
        if before is not None and after.exists and not before.exists:
            log_begin(after.agent_id)
        entries, scopes = (0, 0) if before is None else (before.entry_count, len(before.scopes))
        self._telemetry.entries.add(after.entry_count - entries)
        self._telemetry.scopes.add(len(after.scopes) - scopes)
        self._telemetry.fragments.add(len(after.fragments) - (0 if before is None else len(before.fragments)))
        self._bytes += _memory_bytes(after) - (0 if before is None else _memory_bytes(before))
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
            self._telemetry.entries.add(-state.entry_count)
            self._telemetry.scopes.add(-len(state.scopes))
            self._telemetry.fragments.add(-len(state.fragments))
            self._bytes -= _memory_bytes(state)


def _memory_bytes(state: AgentState) -> int:
    entry_bytes = state.entry_count * _ENTRY_OVERHEAD_BYTES
    fragment_bytes = len(state.fragments) * _FRAGMENT_OVERHEAD_BYTES
    words = state.fragments.words
    index_bytes = len(words.postings) * _WORD_BYTES + words.count * _WORD_OF_FRAGMENT_BYTES
    return _AGENT_OVERHEAD_BYTES + entry_bytes + fragment_bytes + index_bytes + state.size_bytes


def _ignore(answer: "asyncio.Future[Any]") -> None:
    """Take an exception that somebody else is told of, or nobody needs to be."""
    if not answer.cancelled():
        answer.exception()
