"""Commands that create, change and remove links of memories."""

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition, check_record
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.error import InvalidField, QuotaExceeded
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.limit import LINKS_PER_MEMORY_MAX
from memoryd_server.domain.memories.changes.memory_check import known_memory
from memoryd_server.domain.memories.memory_link import LinkType, MemoryLink, MemoryLinkDraft, link_name
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.memory_subject import LinkSubject
from memoryd_server.domain.memories.superseding import check_circle, release_unlinked, supersede


class MemoriesLinked(Result, frozen=True, array_like=True, tag=True):
    """The result of LinkMemories: the link after it.

    If ``created`` is true, it did not exist before; if ``changed`` is true, it was created or got another strength.
    """

    link: MemoryLink
    created: bool
    changed: bool
    revision: int


class MemoriesUnlinked(Result, frozen=True, array_like=True, tag=True):
    """The result of UnlinkMemories: the number of removed links."""

    count: int
    revision: int


class LinkMemories(Command[MemoriesLinked], frozen=True):
    """Create a link between two memories, or change the strength of an existing one."""

    from_id: str
    link: MemoryLinkDraft
    policy: MemoryPolicy
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> MemoriesLinked:
        """Create or change the link.

        Raises RecordNotFound, InvalidField, QuotaExceeded; and RecordExists, RevisionMismatch if the precondition does
        not hold.
        """
        known_memory(self.from_id, transition)
        known_memory(self.link.to_id, transition)
        before = transition.open(MEMORIES).memories.link(self.from_id, self.link.to_id, self.link.type)
        name = link_name(self.from_id, self.link.to_id, self.link.type)
        _check_link(self.precondition, transition, name, before)
        link = make_link(self.from_id, self.link, self.policy, transition)
        return MemoriesLinked(link, before is None, link != before, transition.result_revision)


class UnlinkMemories(Command[MemoriesUnlinked], frozen=True):
    """Remove the links from one memory to another: those of one type, or all if ``type`` is None.

    A precondition needs a type.
    """

    from_id: str
    to_id: str
    policy: MemoryPolicy
    type: LinkType | None = None
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> MemoriesUnlinked:
        """Remove the links; a memory that nothing supersedes any more becomes active.

        Raises RecordExists, RecordNotFound, RevisionMismatch if the precondition does not hold.
        """
        editor = transition.open(MEMORIES)
        types = tuple(LinkType) if self.type is None else (self.type,)
        links = [editor.memories.link(self.from_id, self.to_id, each) for each in types]
        if self.precondition is not None:
            _check_link(self.precondition, transition, link_name(self.from_id, self.to_id, types[0]), links[0])
        gone = [link for link in links if link is not None]
        for link in gone:
            editor.drop_link(link)
            transition.emit(EventType.MEMORIES_UNLINKED, EventCause.REQUEST, LinkSubject(link), link)
        if any(link.type is LinkType.SUPERSEDES for link in gone):
            release_unlinked(self.to_id, editor, self.policy)
        return MemoriesUnlinked(len(gone), transition.result_revision)


def make_link(from_id: str, draft: MemoryLinkDraft, policy: MemoryPolicy, transition: Transition) -> MemoryLink:
    """Create a link or change its strength, and return it. A new link that supersedes marks the memory at its end.

    Raises InvalidField, RecordNotFound, QuotaExceeded.
    """
    editor = transition.open(MEMORIES)
    if draft.to_id == from_id:
        raise InvalidField("to_memory_id", "must be another memory")
    if known_memory(draft.to_id, transition).owner != editor.memories.memories[from_id].owner:
        raise InvalidField("to_memory_id", "must be a memory of the same user and project")
    now, revision = transition.now, transition.revision
    before = editor.memories.link(from_id, draft.to_id, draft.type)
    if before is None:
        if draft.type is LinkType.SUPERSEDES:
            check_circle(from_id, draft.to_id, editor.memories)
        _check_room(from_id, transition)
        _check_room(draft.to_id, transition)
        link = MemoryLink(from_id, draft.to_id, draft.type, draft.strength, now, now, revision)
    elif before.strength == draft.strength:
        return before
    else:
        link = msgspec.structs.replace(before, strength=draft.strength, update_time=now, revision=revision)
    editor.put_link(link, EventCause.REQUEST)
    if before is None and draft.type is LinkType.SUPERSEDES:
        supersede(draft.to_id, editor, policy)
    return link


def _check_link(
    precondition: Precondition | None, transition: Transition, name: dict[str, str], link: MemoryLink | None
) -> None:
    revision = 0 if link is None else link.revision
    check_record(precondition, transition.state.agent_id, revision=revision, **name)


def _check_room(memory_id: str, transition: Transition) -> None:
    if transition.open(MEMORIES).memories.link_count_of(memory_id) >= LINKS_PER_MEMORY_MAX:
        raise QuotaExceeded("links_per_memory", LINKS_PER_MEMORY_MAX)
