"""Event subjects of long-term memory: a memory, a link, or all memories."""

from memoryd_server.domain.agent.event import Subject
from memoryd_server.domain.memories.memory import Memory
from memoryd_server.domain.memories.memory_link import MemoryLink


class MemorySubject(Subject, frozen=True, array_like=True, tag=True):
    """One memory. ``memory`` is None when it was forgotten or purged."""

    memory_id: str
    memory: Memory | None = None

    @property
    def record(self) -> Memory | None:
        """The memory after the event, None when it was forgotten or purged."""
        return self.memory

    @property
    def record_bytes(self) -> int:
        """The size of the memory, 0 when it was forgotten or purged."""
        return 0 if self.memory is None else self.memory.size_bytes


class LinkSubject(Subject, frozen=True, array_like=True, tag=True):
    """A link between two memories, which was created, changed or removed."""

    link: MemoryLink

    @property
    def memory_id(self) -> str:
        """The memory at which the link begins."""
        return self.link.from_id

    @property
    def record(self) -> MemoryLink:
        """The link itself."""
        return self.link


class MemoriesSubject(Subject, frozen=True, array_like=True, tag=True):
    """All memories, which were cleared. ``count`` is the number of live ones."""

    count: int
