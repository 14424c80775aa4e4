"""Links that follow from what memories contain, not from a request."""

from collections.abc import Iterable

from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.limit import LINKS_PER_MEMORY_MAX
from memoryd_server.domain.memories.memory import Memory, MemoryStatus
from memoryd_server.domain.memories.memory_link import LinkType, MemoryLink
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_subject import LinkSubject


def link_kin(
    memory: Memory,
    link_type: LinkType,
    others: Iterable[tuple[str, float]],
    cause: EventCause,
    transition: Transition,
) -> tuple[str, ...]:
    """Link a memory with existing ones of the same owner, and return the ids of those."""
    editor = transition.open(MEMORIES)
    linked = []
    for other_id, strength in others:
        other = editor.memories.find(other_id, transition.now)
        if other is None or other_id == memory.memory_id or not is_kin(other, memory.owner):
            continue
        if all(editor.memories.link_count_of(each) < LINKS_PER_MEMORY_MAX for each in (memory.memory_id, other_id)):
            now, revision = transition.now, transition.revision
            editor.put_link(MemoryLink(memory.memory_id, other_id, link_type, strength, now, now, revision), cause)
            linked.append(other_id)
    return tuple(linked)


def unlink_kin(memory_id: str, other_ids: Iterable[str], transition: Transition) -> None:
    """Remove the links by which memories contradict each other, in either direction, if they are there."""
    editor = transition.open(MEMORIES)
    for other_id in other_ids:
        for from_id, to_id in ((memory_id, other_id), (other_id, memory_id)):
            link = editor.memories.link(from_id, to_id, LinkType.CONTRADICTS)
            if link is not None:
                editor.drop_link(link)
                transition.emit(EventType.MEMORIES_UNLINKED, EventCause.CONTRADICTION, LinkSubject(link), link)


def is_kin(memory: Memory, owner: tuple[str, str]) -> bool:
    """Return True if a memory of this owner may reinforce the memory or be linked with it."""
    return memory.owner == owner and not memory.is_forgotten and memory.status is not MemoryStatus.SUPERSEDED
