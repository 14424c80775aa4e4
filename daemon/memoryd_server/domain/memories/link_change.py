"""How commands about links of memories are decided."""

import msgspec

from memoryd_server.domain.agent.command import LinkMemories, UnlinkMemories
from memoryd_server.domain.agent.event import EventCause, EventType
from memoryd_server.domain.agent.result import MemoriesLinked, MemoriesUnlinked
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.entries.entry_change import check_agent
from memoryd_server.domain.error import InvalidField, LimitExceeded
from memoryd_server.domain.limit import LINKS_PER_MEMORY_MAX
from memoryd_server.domain.memories.memory import Memory, MemoryStatus
from memoryd_server.domain.memories.memory_check import known_memory
from memoryd_server.domain.memories.memory_link import DraftLink, LinkType, MemoryLink
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.memory_transition import drop_link, put_link, revise_memory


def link_memories(command: LinkMemories, transition: Transition) -> MemoriesLinked:
    """Link two memories. Raises MemoryNotFound, InvalidField, RevisionMismatch, LimitExceeded."""
    check_agent(command.precondition, transition)
    known_memory(command.from_id, transition)
    is_update, superseded = make_link(command.from_id, command.link, command.policy, transition)
    return MemoriesLinked(is_update, superseded, transition.result_revision)


def make_link(from_id: str, draft: DraftLink, policy: MemoryPolicy, transition: Transition) -> tuple[bool, bool]:
    """Make a link or give it another strength; the end of one that supersedes is marked so.

    Answers whether the link was there, and whether its end was marked. Raises InvalidField, MemoryNotFound,
    LimitExceeded.
    """
    if draft.to_id == from_id:
        raise InvalidField("to_memory_id", "must be another memory")
    if known_memory(draft.to_id, transition).owner != transition.memories.memories[from_id].owner:
        raise InvalidField("to_memory_id", "must be a memory of the same user and project")
    link = MemoryLink(from_id, draft.to_id, draft.type, draft.strength, transition.now, transition.revision)
    before = next((each for each in transition.memories.links_of(from_id) if each.key == link.key), None)
    if before is None:
        _check_room(from_id, transition)
        _check_room(draft.to_id, transition)
    elif before.strength == link.strength:
        return True, False
    else:
        link = msgspec.structs.replace(link, create_time=before.create_time)
    put_link(transition, link, EventCause.REQUEST)
    if before is not None or draft.type is not LinkType.SUPERSEDES:
        return before is not None, False
    return False, _mark(draft.to_id, MemoryStatus.SUPERSEDED, policy, transition)


def unlink_memories(command: UnlinkMemories, transition: Transition) -> MemoriesUnlinked:
    """Remove links; what nothing supersedes any more is active again. Raises RevisionMismatch."""
    check_agent(command.precondition, transition)
    gone = [
        link
        for link in transition.memories.links_of(command.from_id)
        if link.from_id == command.from_id and link.to_id == command.to_id and command.type in (None, link.type)
    ]
    for link in sorted(gone, key=lambda each: each.type):
        drop_link(transition, link)
        transition.tell(EventType.MEMORIES_UNLINKED, EventCause.REQUEST, memory_id=link.from_id, link=link)
    restored = False
    if any(link.type is LinkType.SUPERSEDES for link in gone) and not _superseding(command.to_id, transition):
        restored = _mark(command.to_id, MemoryStatus.ACTIVE, command.policy, transition)
    return MemoriesUnlinked(len(gone), restored, transition.result_revision)


def _check_room(memory_id: str, transition: Transition) -> None:
    if len(transition.memories.links_of(memory_id)) >= LINKS_PER_MEMORY_MAX:
        raise LimitExceeded("links_per_memory", LINKS_PER_MEMORY_MAX)


def _superseding(memory_id: str, transition: Transition) -> list[MemoryLink]:
    links = transition.memories.links_of(memory_id)
    return [link for link in links if link.type is LinkType.SUPERSEDES and link.to_id == memory_id]


def _mark(memory_id: str, status: MemoryStatus, policy: MemoryPolicy, transition: Transition) -> bool:
    """Give a memory another status; whether it had another one. Only what is superseded becomes active."""
    memory: Memory = transition.memories.memories[memory_id]
    if memory.status is status or (status is MemoryStatus.ACTIVE and memory.status is not MemoryStatus.SUPERSEDED):
        return False
    marked = msgspec.structs.replace(memory, status=status)
    if status is MemoryStatus.ACTIVE:
        marked = msgspec.structs.replace(marked, last_access_time=transition.now)
    revise_memory(transition, memory, marked, policy, EventType.MEMORY_UPDATED, EventCause.SUPERSEDED)
    return True
