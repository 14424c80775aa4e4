"""The indexes of the agents that are in memory: made when they are first needed, and brought up to date when used."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, Protocol, TypeVar

from memoryd_server.domain.agent.part import Changes
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.ports.retrieval import IndexedMemory, MemoryIndex

T = TypeVar("T")
P = TypeVar("P")

_THREADS = 2


class IndexedPart(Protocol[P]):
    """A part of an agent's state that is indexed: an immutable value, whose things have ids."""

    def of(self, state: AgentState) -> P:
        """The part."""
        ...

    def ids_of(self, changes: Changes) -> Iterable[str]:
        """The ids of what is indexed otherwise after these changes."""
        ...

    def all_changed(self, known: P, latest: P) -> set[str]:
        """The ids of all in which two parts of an agent differ."""
        ...

    def indexed(self, part: P, ids: set[str]) -> Sequence[IndexedMemory]:
        """Those of these ids that the index is to have, in an order that the part alone decides."""
        ...


class _AgentIndex(Generic[P]):
    """An agent's index, the part that it has, the agent as it is, and what changed since.

    That is ids, or None when it is not known.

    ``used`` is its last use, which goes on when its caller has given up.
    """

    __slots__ = ("changed_ids", "index", "known", "latest", "lock", "used")

    def __init__(self, index: MemoryIndex, known: P, latest: AgentState) -> None:
        self.index = index
        self.known = known
        self.latest = latest
        self.changed_ids: set[str] | None = None
        self.lock = asyncio.Lock()
        self.used: asyncio.Future[Any] | None = None


class AgentIndexes(Generic[P]):
    """Gives work the index of a part of an agent as it is at this moment. An ``AgentObserver``.

    Indexes are used on threads of their own, each by one at a time, so that nobody else waits for them.
    """

    def __init__(self, new_index: Callable[[], MemoryIndex], part: IndexedPart[P]) -> None:
        self._new_index = new_index
        self._part = part
        self._indexes: dict[str, _AgentIndex[P]] = {}
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="recall")

    def note_change(
        self, before: AgentState | None, after: AgentState, changes: Changes | None, *, is_own: bool
    ) -> None:
        """Note what an index lacks; see ``AgentObserver``."""
        kept = self._indexes.get(after.agent_id)
        if kept is None:
            return
        kept.latest = after
        if changes is None:
            kept.changed_ids = None
        elif kept.changed_ids is not None:
            kept.changed_ids.update(self._part.ids_of(changes))

    def note_gone(self, state: AgentState) -> None:
        """Let an index go."""
        self._indexes.pop(state.agent_id, None)

    async def use(self, state: AgentState, work: Callable[[MemoryIndex], T]) -> tuple[T, AgentState]:
        """What ``work`` answers of the agent's index, and the state that it was brought up to: this or a newer one.

        The agent is in memory, in this state.
        """
        kept = self._indexes.get(state.agent_id)
        if kept is None:
            kept = self._indexes[state.agent_id] = _AgentIndex(self._new_index(), self._nothing(state), state)
        elif state.revision > kept.latest.revision:
            # Changes of other parts are not reported here, and have a revision, too.
            kept.latest = state
        async with kept.lock:
            if kept.used is not None:
                await asyncio.wait((kept.used,))
            latest, changed_ids = kept.latest, kept.changed_ids
            part = self._part.of(latest)
            using = asyncio.get_running_loop().run_in_executor(
                self._threads, self._updated, kept.index, kept.known, part, changed_ids, work
            )
            kept.changed_ids = set()
            kept.used = using
            using.add_done_callback(lambda used: self._note_use(kept, part, used))
            # What was indexed stays of use when the caller gives up.
            return await asyncio.shield(using), latest

    async def use_past(self, memories: Iterable[IndexedMemory], work: Callable[[MemoryIndex], T]) -> T:
        """What ``work`` answers of an index of these memories, which is made for it."""

        def run() -> T:
            index = self._new_index()
            index.put(memories)
            return work(index)

        return await asyncio.get_running_loop().run_in_executor(self._threads, run)

    def close(self) -> None:
        """Let the threads go, once they have ended what they do."""
        self._threads.shutdown()

    def _nothing(self, state: AgentState) -> P:
        return self._part.of(AgentState(state.agent_id))

    def _note_use(self, kept: _AgentIndex[P], part: P, used: "asyncio.Future[Any]") -> None:
        if used.cancelled() or used.exception() is not None:
            # How far it came is not known.
            kept.index, kept.known, kept.changed_ids = self._new_index(), self._nothing(kept.latest), None
        else:
            kept.known = part

    def _updated(
        self, index: MemoryIndex, known: P, latest: P, changed_ids: set[str] | None, work: Callable[[MemoryIndex], T]
    ) -> T:
        ids = self._part.all_changed(known, latest) if changed_ids is None else changed_ids
        there = self._part.indexed(latest, ids)
        index.remove(ids - {each.memory.memory_id for each in there})
        index.put(there)
        return work(index)
