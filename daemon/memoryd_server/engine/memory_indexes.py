"""The indexes of the agents that are in memory: made when they are first needed, and brought up to date when used."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from memoryd_server.domain.long_term_memory import LongTermMemory
from memoryd_server.domain.state import AgentState
from memoryd_server.domain.transition import Changes
from memoryd_server.ports.retrieval import IndexedMemory, MemoryIndex

T = TypeVar("T")

_THREADS = 2
_KINDS_OF_ID = frozenset({"memory", "embedding"})


class _AgentIndex:
    """An agent's index, the memories that it has, the agent as it is, and what changed since.

    That is the ids of memories, or None when it is not known.

    ``used`` is its last use, which goes on when its caller has given up.
    """

    __slots__ = ("changed_ids", "index", "known", "latest", "lock", "used")

    def __init__(self, index: MemoryIndex, latest: AgentState) -> None:
        self.index = index
        self.known = LongTermMemory()
        self.latest = latest
        self.changed_ids: set[str] | None = None
        self.lock = asyncio.Lock()
        self.used: asyncio.Future[Any] | None = None


class MemoryIndexes:
    """Gives work the index of an agent as its memories are at this moment. An ``AgentObserver``.

    Indexes are used on threads of their own, each by one at a time, so that nobody else waits for them.
    """

    def __init__(self, new_index: Callable[[], MemoryIndex]) -> None:
        self._new_index = new_index
        self._indexes: dict[str, _AgentIndex] = {}
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="recall")

    def note_change(
        self, before: AgentState | None, after: AgentState, changes: Changes | None, *, is_own: bool
    ) -> None:
        """Note what an index lacks; see ``AgentObserver``."""
        kept = self._indexes.get(after.agent_id)
        if kept is None:
            return
        has_changed = after.memories is not kept.latest.memories
        kept.latest = after
        if not has_changed:
            return
        if changes is None:
            kept.changed_ids = None
        elif kept.changed_ids is not None:
            kept.changed_ids.update(_ids_of(changes))

    def note_gone(self, agent_id: str) -> None:
        """Let an index go."""
        self._indexes.pop(agent_id, None)

    async def use(self, state: AgentState, work: Callable[[MemoryIndex], T]) -> tuple[T, AgentState]:
        """What ``work`` answers of the agent's index, and the state that it was brought up to: this or a newer one.

        The agent is in memory, in this state.
        """
        kept = self._indexes.get(state.agent_id)
        if kept is None:
            kept = self._indexes[state.agent_id] = _AgentIndex(self._new_index(), state)
        async with kept.lock:
            if kept.used is not None:
                await asyncio.wait((kept.used,))
            latest, changed_ids = kept.latest, kept.changed_ids
            using = asyncio.get_running_loop().run_in_executor(
                self._threads, _updated, kept.index, kept.known, latest.memories, changed_ids, work
            )
            kept.changed_ids = set()
            kept.used = using
            using.add_done_callback(lambda used: self._note_use(kept, latest.memories, used))
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

    def _note_use(self, kept: _AgentIndex, latest: LongTermMemory, used: "asyncio.Future[Any]") -> None:
        if used.cancelled() or used.exception() is not None:
            # How far it came is not known.
            kept.index, kept.known, kept.changed_ids = self._new_index(), LongTermMemory(), None
        else:
            kept.known = latest


def indexed(memories: LongTermMemory, memory_id: str) -> IndexedMemory:
    """A memory that is there as an index takes it in."""
    links = tuple(
        (link.other_end(memory_id), link.strength)
        for link in sorted(memories.links_of(memory_id), key=lambda each: each.key)
    )
    return IndexedMemory(memories.memories[memory_id], memories.embeddings.get(memory_id), links)


def _updated(
    index: MemoryIndex,
    known: LongTermMemory,
    latest: LongTermMemory,
    changed_ids: set[str] | None,
    work: Callable[[MemoryIndex], T],
) -> T:
    ids = _all_changed(known, latest) if changed_ids is None else changed_ids
    there = {
        memory_id for memory_id in ids if memory_id in latest.memories and not latest.memories[memory_id].is_forgotten
    }
    index.remove(ids - there)
    index.put(indexed(latest, memory_id) for memory_id in sorted(there, key=_by_creation(latest)))
    return work(index)


def _by_creation(memories: LongTermMemory) -> Callable[[str], int]:
    return lambda memory_id: memories.memories[memory_id].sequence


def _all_changed(known: LongTermMemory, latest: LongTermMemory) -> set[str]:
    changed: set[str] = set()
    pairs: tuple[tuple[Mapping[str, object], Mapping[str, object]], ...] = (
        (known.memories, latest.memories),
        (known.embeddings, latest.embeddings),
        (known.links, latest.links),
    )
    for before, after in pairs:
        changed.update(key for key in before if key not in after)
        changed.update(key for key, value in after.items() if before.get(key) is not value)
    return changed


def _ids_of(changes: Changes) -> Iterable[str]:
    for change in changes:
        if change.kind in _KINDS_OF_ID:
            yield change.key
        elif change.kind == "link":
            yield from change.key.split("/")[:2]
