"""Long-term memory as a part of an agent's state."""

from collections import Counter
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from typing import Any

from memoryd_server.domain.agent.part import Counts, InitialEvent, PartStatistics, Records, oldest_and_newest
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.error import DataDamaged
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.long_term_memory import LongTermMemory
from memoryd_server.domain.memories.memory import Memory, MemoryStatus, MemoryVersion, Purge
from memoryd_server.domain.memories.memory_editor import MemoryEditor
from memoryd_server.domain.memories.memory_link import LinkType, MemoryLink
from memoryd_server.domain.memories.memory_subject import LinkSubject, MemorySubject
from memoryd_server.domain.record_kind import RecordKind

_MEMORY_OVERHEAD_BYTES = 6_144
"""Memory that a memory takes besides its texts, with its share of the search index; see docs/recall.md."""
_LINK_BYTES = 464
_SUCCESSION_BYTES = 360
_PURGE_BYTES = 550
"""Memory that a link, what is known of a memory's superseding, and a purge take, by tracemalloc."""

_EMPTY = LongTermMemory()


class MemoryPart:
    """Memories with their embeddings, links, versions and purges, as a part; see ``domain.agent.part.Part``."""

    name = "memory"
    kind = RecordKind.MEMORY
    is_cleared_together = False
    records: Mapping[str, type[Any]] = {
        "memory": Memory,
        "embedding": Embedding,
        "link": MemoryLink,
        "version": MemoryVersion,
        "purge": Purge,
    }

    def empty(self, agent_id: str) -> LongTermMemory:
        """Return a long-term memory without memories."""
        return _EMPTY

    def check(self, agent_id: str, records: Records) -> None:
        """Raise DataDamaged if an embedding, a version or a link is of a memory that does not exist."""
        there = {memory.memory_id for memory in records["memory"]}
        needed = chain(
            (embedding.memory_id for embedding in records["embedding"]),
            (version.memory.memory_id for version in records["version"]),
            (end for link in records["link"] for end in (link.from_id, link.to_id)),
        )
        if not there.issuperset(needed):
            raise DataDamaged(f"agent {agent_id!r} has records of missing memories")

    def check_image(self, agent_id: str, records: Records) -> None:
        """Raise DataDamaged unless the records can be restored."""
        self.check(agent_id, records)
        superseded: dict[str, set[str]] = {}
        for link in records["link"]:
            if link.type is LinkType.SUPERSEDES:
                superseded.setdefault(link.from_id, set()).add(link.to_id)
        try:
            TopologicalSorter(superseded).prepare()
        except CycleError as circle:
            names = ", ".join(circle.args[1][:4])
            raise DataDamaged(f"agent {agent_id!r} has memories that supersede themselves: {names}") from None

    def load(self, agent_id: str, records: Records) -> LongTermMemory:
        """Return the long-term memory made of the agent's records."""
        return LongTermMemory.of(*(records[name] for name in self.records))

    def edit(self, value: LongTermMemory, transition: Transition) -> MemoryEditor:
        """Return an editor of the memories within a transition."""
        return MemoryEditor(self, value, transition)

    def initial_events(self, value: LongTermMemory, now: int) -> Iterator[InitialEvent]:
        """Yield events for the memories that are not forgotten, the oldest first, then for their links."""
        shown = sorted((each for each in value.live(now) if not each.is_forgotten), key=lambda each: each.sequence)
        for memory in shown:
            subject = MemorySubject(memory.memory_id, memory)
            yield InitialEvent(EventType.MEMORY_CREATED, memory.revision, memory.update_time, subject)
        for memory in shown:
            for link in sorted(value.links_of(memory.memory_id), key=lambda each: each.key):
                if link.from_id == memory.memory_id:
                    yield InitialEvent(EventType.MEMORIES_LINKED, link.revision, link.create_time, LinkSubject(link))

    def live_counts(self, value: LongTermMemory, now: int) -> Counts:
        """Return the number of live memories, forgotten ones included."""
        return {RecordKind.MEMORY: sum(1 for _ in value.live(now))}

    def statistics(self, value: LongTermMemory, now: int) -> PartStatistics:
        """Return the statistics of the live memories. ``unembedded_memories`` counts all memories without vector."""
        live = list(value.live(now))
        statuses = Counter(None if memory.is_forgotten else memory.status for memory in live)
        times = oldest_and_newest(memory.update_time for memory in live if not memory.is_forgotten)
        record_counts = {
            RecordKind.MEMORY: statuses.total() - statuses[None],
            RecordKind.MEMORY_LINK: value.link_count,
        }
        counts = {
            "forgotten_memories": statuses[None],
            "archived_memories": statuses[MemoryStatus.ARCHIVED],
            "superseded_memories": statuses[MemoryStatus.SUPERSEDED],
            "unembedded_memories": len(value) - len(value.embeddings),
        }
        return PartStatistics(value.size_bytes(now), record_counts, counts, *times)

    def blocks_ending(self, value: LongTermMemory) -> bool:
        """Return True while a purge is incomplete: without the agent, its record of what to erase would be lost."""
        return bool(value.unerased)

    def memory_bytes(self, value: LongTermMemory) -> int:
        """Return an estimate of the memory that memories and their indexes take in addition to their texts."""
        links = value.link_count * _LINK_BYTES + len(value.successions) * _SUCCESSION_BYTES
        return len(value) * _MEMORY_OVERHEAD_BYTES + links + len(value.purges) * _PURGE_BYTES


MEMORIES = MemoryPart()
