"""Indexes of agents' long-term memories."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter

from memoryd_server.domain.agent.part import Changes
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.long_term_memory import LongTermMemory
from memoryd_server.domain.memories.memory import Memory
from memoryd_server.domain.memories.memory_link import LinkType, MemoryLink
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.engine.indexes.agent_indexes import AgentIndexes
from memoryd_server.engine.indexes.saved_agent_indexes import SavedAgentIndexes
from memoryd_server.ports.retrieval import IndexedMemory, MemoryIndex, MemorySelector
from memoryd_server.ports.saved_indexes import SavedIndexes

_sequence_of = attrgetter("sequence")

_KINDS_OF_ID = frozenset({"memory", "embedding"})


class MemoryIndexes(SavedAgentIndexes[LongTermMemory]):
    """The indexes of agents' memories."""

    def __init__(self, new_index: Callable[[], MemoryIndex], saved: SavedIndexes | None = None) -> None:
        super().__init__(new_index, _Memories(), saved)


class MemorySelectors(AgentIndexes[LongTermMemory, MemorySelector]):
    """The indexes that select agents' memories by filters."""

    def __init__(self, new_selector: Callable[[], MemorySelector]) -> None:
        super().__init__(new_selector, _MemoriesAlone())


class _MemoriesAlone:
    """Implements ``IndexedPart``: all memories but the forgotten ones, without links and vectors."""

    def of(self, state: AgentState) -> LongTermMemory:
        return state.part(MEMORIES)

    def ids_of(self, changes: Changes) -> Iterable[str]:
        return (change.key for change in changes if change.kind == "memory")

    def all_changed(self, known: LongTermMemory, latest: LongTermMemory) -> set[str]:
        return _differing(known.memories, latest.memories)

    def indexed(self, part: LongTermMemory, ids: set[str] | None) -> Sequence[IndexedMemory]:
        return [IndexedMemory(memory) for memory in _remembered(part, ids)]


class _Memories:
    """Implements ``IndexedPart``: all memories but the forgotten ones."""

    def of(self, state: AgentState) -> LongTermMemory:
        return state.part(MEMORIES)

    def ids_of(self, changes: Changes) -> Iterable[str]:
        for change in changes:
            if change.kind in _KINDS_OF_ID:
                yield change.key
            elif change.kind == "link":
                yield from change.key.split("/")[:2]

    def all_changed(self, known: LongTermMemory, latest: LongTermMemory) -> set[str]:
        changed: set[str] = set()
        pairs: tuple[tuple[Mapping[str, object], Mapping[str, object]], ...] = (
            (known.memories, latest.memories),
            (known.embeddings, latest.embeddings),
            (known.links, latest.links),
        )
        for before, after in pairs:
            changed |= _differing(before, after)
        return changed

    def indexed(self, part: LongTermMemory, ids: set[str] | None) -> Sequence[IndexedMemory]:
        return [indexed(part, memory) for memory in _remembered(part, ids)]


def _differing(before: Mapping[str, object], after: Mapping[str, object]) -> set[str]:
    differing = {key for key in before if key not in after}
    differing.update(key for key, value in after.items() if before.get(key) is not value)
    return differing


def _remembered(part: LongTermMemory, ids: set[str] | None) -> Sequence[Memory]:
    """Return the memories with these ids, or all, that exist and are not forgotten, the oldest first."""
    found = part.memories.values() if ids is None else map(part.memories.get, ids)
    there = (memory for memory in found if memory is not None and not memory.is_forgotten)
    return sorted(there, key=_sequence_of)


def indexed(memories: LongTermMemory, memory: Memory) -> IndexedMemory:
    """Return an existing memory in the form that an index takes."""
    embedding = memories.embeddings.get(memory.memory_id)
    if memory.memory_id not in memories.links:
        return IndexedMemory(memory, embedding)
    return indexed_with(memory, embedding, sorted(memories.links_of(memory.memory_id), key=lambda each: each.key))


def indexed_with(memory: Memory, embedding: Embedding | None, links: Iterable[MemoryLink]) -> IndexedMemory:
    """Return a memory with its links in the form that an index takes."""
    ends, rivals = [], []
    for link in links:
        other_id = link.other_end(memory.memory_id)
        ends.append((other_id, link.strength))
        supersedes = link.type is LinkType.SUPERSEDES
        if link.type is LinkType.CONTRADICTS or (supersedes and other_id == link.from_id):
            rivals.append((other_id, supersedes))
    return IndexedMemory(memory, embedding, tuple(ends), tuple(rivals))
