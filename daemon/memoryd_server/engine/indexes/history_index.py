"""Time-travel recall: a temporary index of the memories as of a moment."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.long_term_memory import LongTermMemory
from memoryd_server.domain.memories.memory import Memory
from memoryd_server.engine.agents.offload import offload
from memoryd_server.engine.indexes.memory_indexes import MemoryIndexes, indexed_with
from memoryd_server.ports.retrieval import IndexedMemory, MemoryIndex

T = TypeVar("T")


class PastMemories:
    """Runs searches on temporary indexes of past memories."""

    def __init__(self, indexes: MemoryIndexes) -> None:
        self._indexes = indexes

    async def use(
        self, memories: LongTermMemory, read_time: int, now: int, work: Callable[[MemoryIndex], T]
    ) -> tuple[T, Mapping[str, Memory]]:
        """Run ``work`` on the memories as of a time. Return its result and those memories. Raises HistoryCompacted."""

        def was() -> tuple[dict[str, Memory], list[IndexedMemory]]:
            past = {memory.memory_id: memory for memory in memories.all_at(read_time, now) if not memory.is_forgotten}
            return past, [_indexed(each, memories, read_time) for each in past.values()]

        past, indexed = await offload(len(memories), was)
        return await self._indexes.use_past(indexed, work), past


def _indexed(memory: Memory, memories: LongTermMemory, read_time: int) -> IndexedMemory:
    """Return a past memory with those of its links that existed then and still exist.

    Only current vectors are stored, so it has a vector only if its content is still the same.
    """
    memory_id = memory.memory_id
    links = sorted(memories.links_of(memory_id), key=lambda each: each.key)
    embedding: Embedding | None = memories.embeddings.get(memory_id)
    if memories.memories[memory_id].content != memory.content:
        embedding = None
    return indexed_with(memory, embedding, (link for link in links if link.create_time <= read_time))
