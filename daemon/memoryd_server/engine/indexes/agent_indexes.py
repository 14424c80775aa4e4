"""Search indexes of the loaded agents, created on first use and brought up to date on each use."""

import asyncio
import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, Protocol, TypeVar

from memoryd_server.domain.agent.part import Changes
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.engine.agents.collector import long_lived
from memoryd_server.engine.limit import INDEX_THREADS
from memoryd_server.ports.retrieval import IndexedMemory
from memoryd_server.ports.tracing import part

T = TypeVar("T")
P = TypeVar("P")


class Updated(Protocol):
    """An index that is brought up to date."""

    def put(self, memories: Iterable[IndexedMemory]) -> None:
        """Add items, replacing those of the same ids."""
        ...

    def remove(self, memory_ids: Iterable[str]) -> None:
        """Remove items. An id that is not in the index is ignored."""
        ...


I = TypeVar("I", bound=Updated)  # noqa: E741 - the index


class IndexedPart(Protocol[P]):
    """A part of an agent's state that is indexed: an immutable value, whose items have ids."""

    def of(self, state: AgentState) -> P:
        """Return the part of a state."""
        ...

    def ids_of(self, changes: Changes) -> Iterable[str]:
        """Return the ids of the items whose index entries these changes affect."""
        ...

    def all_changed(self, known: P, latest: P) -> set[str]:
        """Return the ids of all items that differ between two values of the part."""
        ...

    def indexed(self, part: P, ids: set[str] | None) -> Sequence[IndexedMemory]:
        """Return the items with these ids, or all, that belong in the index, in an order that depends on the part
        alone.
        """
        ...


class AgentIndex(Generic[P, I]):
    """An agent's index. It has the items of ``known``, while ``latest`` is the agent's current state.

    ``changed_ids`` has the ids that changed since ``known``; None if any may have. ``index`` is None until it is first
    filled, on its thread: the first one of all imports its libraries. ``unsaved_count`` is the number of changes that
    were not saved, and ``save_time`` is when it was last saved, by the loop's clock. ``used`` is the last use of the
    index. It continues on its thread even if its caller is cancelled.
    """

    __slots__ = ("changed_ids", "index", "known", "latest", "lock", "save_time", "unsaved_count", "used")

    def __init__(self, known: P, latest: AgentState) -> None:
        self.index: I | None = None
        self.known = known
        self.latest = latest
        self.changed_ids: set[str] | None = None
        self.unsaved_count = 0
        self.save_time = -math.inf
        self.lock = asyncio.Lock()
        self.used: asyncio.Future[Any] | None = None


class AgentIndexes(Generic[P, I]):
    """Runs searches on up-to-date indexes of one part of each agent. An ``AgentObserver``.

    Indexes are used on threads of their own, each index by one thread at a time, and never block the event loop.
    """

    def __init__(self, new_index: Callable[[], I], part: IndexedPart[P]) -> None:
        self._new_index = new_index
        self._part = part
        self._indexes: dict[str, AgentIndex[P, I]] = {}
        self._threads = ThreadPoolExecutor(INDEX_THREADS, thread_name_prefix="recall")

    def note_change(
        self, before: AgentState | None, after: AgentState, changes: Changes | None, *, is_own: bool
    ) -> None:
        """Record the changes that an index lacks; see ``AgentObserver``."""
        kept = self._indexes.get(after.agent_id)
        if kept is None:
            return
        kept.latest = after
        if changes is None:
            kept.changed_ids = None
        elif kept.changed_ids is not None:
            kept.changed_ids.update(self._part.ids_of(changes))

    def note_gone(self, state: AgentState) -> None:
        """Drop the index of an agent that was evicted."""
        self._indexes.pop(state.agent_id, None)

    async def use(self, state: AgentState, work: Callable[[I], T]) -> tuple[T, AgentState]:
        """Run ``work`` on the agent's index. Return its result, and the state of the index: ``state`` or a newer one.

        The agent must be loaded, in this state or a newer one.
        """
        kept = self._indexes.get(state.agent_id)
        if kept is None:
            kept = self._indexes[state.agent_id] = AgentIndex(self._nothing(state), state)
        elif state.revision > kept.latest.revision:
            # Observers are notified only of changes of this part, while any change gives the agent a new revision.
            kept.latest = state
        with part("index"):
            return await self._use(kept, lambda index, _: work(index))

    async def _use(self, kept: AgentIndex[P, I], work: Callable[[I, AgentState], T]) -> tuple[T, AgentState]:
        """Run ``work`` on an index and on the state that it was brought up to date with. Return its result and that."""
        async with kept.lock:
            # A cancelled caller releases the lock, but its thread may still be using the index.
            if kept.used is not None:
                await asyncio.wait((kept.used,))
            latest, changed_ids = kept.latest, kept.changed_ids
            part = self._part.of(latest)
            using = asyncio.get_running_loop().run_in_executor(
                self._threads, self._updated, kept, part, changed_ids, lambda index: work(index, latest)
            )
            kept.changed_ids = set()
            kept.used = using
            using.add_done_callback(lambda used: self._note_use(kept, part, used))
            # If the caller is cancelled, the update of the index still completes, for the next use.
            return await asyncio.shield(using), latest

    async def use_past(self, memories: Iterable[IndexedMemory], work: Callable[[I], T]) -> T:
        """Return the result of ``work`` on a temporary index of these memories."""

        def run() -> T:
            index = self._new_index()
            index.put(memories)
            return work(index)

        return await asyncio.get_running_loop().run_in_executor(self._threads, run)

    def close(self) -> None:
        """Stop the threads, after their current work."""
        self._threads.shutdown()

    def _nothing(self, state: AgentState) -> P:
        return self._part.of(AgentState(state.agent_id))

    def _note_use(self, kept: AgentIndex[P, I], part: P, used: "asyncio.Future[Any]") -> None:
        if used.cancelled() or used.exception() is not None:
            # It may have been updated in part: start again with an empty index.
            kept.index, kept.known, kept.changed_ids = None, self._nothing(kept.latest), None
        else:
            kept.known = part
            self._note_updated(kept)

    def _note_updated(self, kept: AgentIndex[P, I]) -> None:
        """Handle that an index was brought up to date."""

    def _updated(self, kept: AgentIndex[P, I], latest: P, changed_ids: set[str] | None, work: Callable[[I], T]) -> T:
        if kept.index is None:
            items = self._part.indexed(latest, None)
            with long_lived(len(items)):
                kept.index = self._filled(kept, items)
        else:
            ids = self._part.all_changed(kept.known, latest) if changed_ids is None else changed_ids
            there = self._part.indexed(latest, ids)
            kept.index.remove(ids - {each.memory.memory_id for each in there})
            kept.index.put(there)
            kept.unsaved_count += len(ids)
        return work(kept.index)

    def _filled(self, kept: AgentIndex[P, I], items: Sequence[IndexedMemory]) -> I:
        """Return a new index of all items."""
        index = self._new_index()
        index.put(items)
        kept.unsaved_count = len(items)
        return index
