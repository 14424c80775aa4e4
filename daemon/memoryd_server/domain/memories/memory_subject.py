"""Event subjects of long-term memory: a memory, or a link."""

from typing import Any

from memoryd_server.domain.agent.event import Event, RecordView, Subject
from memoryd_server.domain.memories.memory import MEMORY_SHAPE, Memory
from memoryd_server.domain.memories.memory_link import MEMORY_LINK_SHAPE, MemoryLink
from memoryd_server.domain.values.response_size import response_bytes


class MemorySubject(Subject, frozen=True, array_like=True, tag=True):
    """One memory. ``memory`` is None when it was forgotten or purged."""

    memory_id: str
    memory: Memory | None = None

    @property
    def record(self) -> Memory | None:
        """The memory after the event, None when it was forgotten or purged."""
        return self.memory

    @property
    def place(self) -> tuple[Any, ...]:
        """The memory's id."""
        return MemorySubject, self.memory_id

    def view(self, event: Event) -> RecordView:
        """Return the memory. Of one that has ended, nothing is known but its id.

        The event of a memory's end does not say whose it was: nothing about its owner may stay in the journal.
        """
        return RecordView(MEMORY_SHAPE, self.memory or self, MEMORY_SHAPE.unknown(self.memory))

    @property
    def record_bytes(self) -> int:
        """The size of the memory, 0 when it was forgotten or purged."""
        return 0 if self.memory is None else response_bytes(self.memory)


class LinkSubject(Subject, frozen=True, array_like=True, tag=True):
    """A link between two memories, which was created, changed or removed."""

    link: MemoryLink

    @property
    def place(self) -> tuple[Any, ...]:
        """The link's key: its memories and its type."""
        return LinkSubject, self.link.key

    def view(self, event: Event) -> RecordView:
        """Return the link."""
        return RecordView(MEMORY_LINK_SHAPE, self.link)

    @property
    def record(self) -> MemoryLink:
        """The link itself."""
        return self.link
