"""Commands that create, change and remove links of memories."""

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition, check_agent
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.error import InvalidField, LimitExceeded
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.limit import LINKS_PER_MEMORY_MAX
from memoryd_server.domain.memories.memory import Memory, MemoryStatus
from memoryd_server.domain.memories.memory_check import known_memory
from memoryd_server.domain.memories.memory_link import DraftLink, LinkType, MemoryLink
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.memory_subject import LinkSubject


class MemoriesLinked(Result, frozen=True, array_like=True, tag=True):
    """The result of LinkMemories.

    If ``is_update`` is true, the link existed before. If ``superseded`` is true, the memory at its end became
    superseded.
    """

    is_update: bool
    superseded: bool
    revision: int


class MemoriesUnlinked(Result, frozen=True, array_like=True, tag=True):
    """The result of UnlinkMemories: the number of removed links.

    If ``restored`` is true, the memory at their end became active again.
    """

    count: int
    restored: bool
    revision: int


class LinkMemories(Command[MemoriesLinked], frozen=True):
    """Create a link between two memories, or change the strength of an existing one."""

    from_id: str
    link: DraftLink
    policy: MemoryPolicy
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> MemoriesLinked:
        """Create or change the link. Raises MemoryNotFound, InvalidField, RevisionMismatch, LimitExceeded."""
        check_agent(self.precondition, transition)
        known_memory(self.from_id, transition)
        is_update, superseded = make_link(self.from_id, self.link, self.policy, transition)
        return MemoriesLinked(is_update, superseded, transition.result_revision)


class UnlinkMemories(Command[MemoriesUnlinked], frozen=True):
    """Remove the links from one memory to another: those of one type, or all if ``type`` is None."""

    from_id: str
    to_id: str
    policy: MemoryPolicy
    type: LinkType | None = None
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> MemoriesUnlinked:
        """Remove the links; a memory that nothing supersedes any more becomes active. Raises RevisionMismatch."""
        editor = transition.open(MEMORIES)
        check_agent(self.precondition, transition)
        gone = [
            link
            for link in editor.memories.links_of(self.from_id)
            if link.from_id == self.from_id and link.to_id == self.to_id and self.type in (None, link.type)
        ]
        for link in sorted(gone, key=lambda each: each.type):
            editor.drop_link(link)
            transition.emit(EventType.MEMORIES_UNLINKED, EventCause.REQUEST, LinkSubject(link))
        restored = False
        if any(link.type is LinkType.SUPERSEDES for link in gone) and not _superseding(self.to_id, transition):
            restored = _mark(self.to_id, MemoryStatus.ACTIVE, self.policy, transition)
        return MemoriesUnlinked(len(gone), restored, transition.result_revision)


def make_link(from_id: str, draft: DraftLink, policy: MemoryPolicy, transition: Transition) -> tuple[bool, bool]:
    """Create a link or change its strength; a link that supersedes marks the memory at its end as superseded.

    Returns two flags: the link existed before; the memory at its end became superseded. Raises InvalidField,
    MemoryNotFound, LimitExceeded.
    """
    editor = transition.open(MEMORIES)
    if draft.to_id == from_id:
        raise InvalidField("to_memory_id", "must be another memory")
    if known_memory(draft.to_id, transition).owner != editor.memories.memories[from_id].owner:
        raise InvalidField("to_memory_id", "must be a memory of the same user and project")
    link = MemoryLink(from_id, draft.to_id, draft.type, draft.strength, transition.now, transition.revision)
    before = next((each for each in editor.memories.links_of(from_id) if each.key == link.key), None)
    if before is None:
        _check_room(from_id, transition)
        _check_room(draft.to_id, transition)
    elif before.strength == link.strength:
        return True, False
    else:
        link = msgspec.structs.replace(link, create_time=before.create_time)
    editor.put_link(link, EventCause.REQUEST)
    if before is not None or draft.type is not LinkType.SUPERSEDES:
        return before is not None, False
    return False, _mark(draft.to_id, MemoryStatus.SUPERSEDED, policy, transition)


def _check_room(memory_id: str, transition: Transition) -> None:
    if len(transition.open(MEMORIES).memories.links_of(memory_id)) >= LINKS_PER_MEMORY_MAX:
        raise LimitExceeded("links_per_memory", LINKS_PER_MEMORY_MAX)


def _superseding(memory_id: str, transition: Transition) -> list[MemoryLink]:
    links = transition.open(MEMORIES).memories.links_of(memory_id)
    return [link for link in links if link.type is LinkType.SUPERSEDES and link.to_id == memory_id]


def _mark(memory_id: str, status: MemoryStatus, policy: MemoryPolicy, transition: Transition) -> bool:
    """Change the status of a memory, and return True if it changed. Only a superseded memory can become active."""
    editor = transition.open(MEMORIES)
    memory: Memory = editor.memories.memories[memory_id]
    if memory.status is status or (status is MemoryStatus.ACTIVE and memory.status is not MemoryStatus.SUPERSEDED):
        return False
    marked = msgspec.structs.replace(memory, status=status)
    if status is MemoryStatus.ACTIVE:
        # Restart the decay: the memory could be faint enough to be archived at once.
        marked = msgspec.structs.replace(marked, last_access_time=transition.now)
    editor.revise(memory, marked, policy, EventType.MEMORY_UPDATED, EventCause.SUPERSEDED)
    return True
