"""Commands that create memories, and their results."""

import enum
import itertools
from collections.abc import Mapping

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.result import RESULT_BYTES, Result
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.error import QuotaExceeded, RecordExists
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.limit import (
    DUE_MEMORIES_PER_SWEEP_MAX,
    DUE_MEMORY_CHANGES_PER_SWEEP_MAX,
)
from memoryd_server.domain.memories.changes.kin_link import is_kin, link_kin
from memoryd_server.domain.memories.changes.link_change import make_link
from memoryd_server.domain.memories.changes.reinforcement import confirmed, reinforce
from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.memory import (
    Memory,
    MemoryDraft,
    memory_of,
    purge_digest_of,
)
from memoryd_server.domain.memories.memory_link import STRENGTH_DEFAULT, LinkType
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.superseding import remove_memory


class CreateMemoryOutcome(enum.IntEnum):
    """The outcome of a draft. The numbers are those of the contract and are stored: never renumber."""

    CREATED = 1
    REINFORCED = 2
    BLOCKED = 3


class MemoryCreated(msgspec.Struct, frozen=True, array_like=True):
    """The outcome of one draft: the created memory or its duplicate, None if the content is blocked.

    ``contradicts`` and ``relates_to`` are the memories that it was linked with.
    """

    outcome: CreateMemoryOutcome
    memory: Memory | None
    contradicts: tuple[str, ...] = ()
    relates_to: tuple[str, ...] = ()

    @property
    def memory_id(self) -> str:
        """The id of the memory, empty if the content is blocked."""
        return "" if self.memory is None else self.memory.memory_id

    @property
    def memory_bytes(self) -> int:
        """An estimate of the outcome's memory, where each link counts as a result."""
        size_bytes = 0 if self.memory is None else self.memory.size_bytes
        return RESULT_BYTES * (2 + len(self.contradicts) + len(self.relates_to)) + size_bytes


class MemoriesCreated(Result, frozen=True, array_like=True, tag=True):
    """The result of CreateMemories and ConsolidateFragments. ``created`` is in the order of the drafts."""

    created: tuple[MemoryCreated, ...]
    revision: int

    @property
    def memory_bytes(self) -> int:
        """An estimate of the result's memory."""
        return RESULT_BYTES + sum(each.memory_bytes for each in self.created)


class CreateMemories(Command[MemoriesCreated], frozen=True):
    """Create memories, or reinforce their duplicates. Drafts without an id get one that begins with ``new_id``.

    The result has the memories with their content only if ``returns_content`` is true, since it is stored under its
    request id.
    """

    drafts: tuple[MemoryDraft, ...]
    new_id: str
    policy: MemoryPolicy
    returns_content: bool = False

    def decide(self, transition: Transition) -> MemoriesCreated:
        """Create the memories. Raises RecordExists, QuotaExceeded, and what ``make_link`` raises."""
        return create_memories(self, transition)


def new_memory_id(new_id: str, index: int) -> str:
    """Return the id of a memory that its draft gives none. ``index`` is the draft's in the command."""
    return f"{new_id}{index:03x}"


def create_memories(
    command: CreateMemories, transition: Transition, cause: EventCause = EventCause.REQUEST
) -> MemoriesCreated:
    """Create the memories. Raises RecordExists, QuotaExceeded, and what ``make_link`` raises."""
    created: list[MemoryCreated] = []
    confirming: dict[str, str] = {}
    for index, draft in enumerate(command.drafts):
        # What a later draft derives from may be a duplicate, whose id no memory has.
        origins = tuple(dict.fromkeys(confirming.get(each, each) for each in draft.derives_from))
        derived = msgspec.structs.replace(draft, derives_from=origins) if confirming and origins else draft
        created.append(_create(derived, new_memory_id(command.new_id, index), command.policy, transition, cause))
        if draft.memory_id and created[-1].outcome is CreateMemoryOutcome.REINFORCED:
            confirming[draft.memory_id] = created[-1].memory_id
    transition.check_size()
    memories = transition.open(MEMORIES).memories.memories
    returned = tuple(_returned(each, memories, returns_content=command.returns_content) for each in created)
    return MemoriesCreated(returned, transition.result_revision)


def _returned(created: MemoryCreated, memories: Mapping[str, Memory], *, returns_content: bool) -> MemoryCreated:
    """Return an outcome with its memory as the whole command leaves it: a later draft may supersede it."""
    if created.memory is None:
        return created
    memory = memories[created.memory.memory_id]
    return msgspec.structs.replace(created, memory=memory if returns_content else memory.without_content())


def _create(
    draft: MemoryDraft, new_id: str, policy: MemoryPolicy, transition: Transition, cause: EventCause
) -> MemoryCreated:
    editor = transition.open(MEMORIES)
    if purge_digest_of(draft) in editor.memories.blocked:
        return MemoryCreated(CreateMemoryOutcome.BLOCKED, None)
    there = editor.memories.find(draft.memory_id, transition.now) if draft.memory_id else None
    if there is not None:
        raise RecordExists(MEMORIES.name, draft.memory_id, there.revision)
    purge = editor.memories.purges.get(draft.memory_id)
    if purge is not None and purge.revision == transition.revision:
        # In one commit: the purge's erasure could not tell the new memory's content from the purged one's.
        raise RecordExists(MEMORIES.name, draft.memory_id, purge.revision)
    duplicate = None if draft.allow_duplicates else _duplicate_of(draft, transition)
    if duplicate is not None:
        confidence = confirmed(duplicate, draft.confidence)
        reinforced = reinforce(duplicate, confidence, policy, transition, EventCause.DUPLICATE)
        return MemoryCreated(CreateMemoryOutcome.REINFORCED, reinforced)
    memory_id = draft.memory_id or new_id
    _make_room(memory_id, policy, transition)
    sequence = editor.memories.next_sequence
    memory = editor.put(memory_of(draft, memory_id, sequence, transition.revision, transition.now), policy)
    editor.emit_memory(EventType.MEMORY_CREATED, memory, cause)
    if draft.identity is not None:
        editor.put_embedding(Embedding(memory_id, draft.identity, draft.vector, draft.is_vector_given))
    for link in draft.links:
        make_link(memory_id, link, policy, transition)
    contradicts = link_kin(memory, LinkType.CONTRADICTS, draft.contradicts, EventCause.CONTRADICTION, transition)
    relates_to = link_kin(memory, LinkType.RELATED, draft.relates_to, EventCause.SIMILARITY, transition)
    origins = tuple((origin_id, STRENGTH_DEFAULT) for origin_id in draft.derives_from)
    link_kin(memory, LinkType.DERIVED_FROM, origins, cause, transition)
    return MemoryCreated(CreateMemoryOutcome.CREATED, memory, contradicts, relates_to)


def _make_room(memory_id: str, policy: MemoryPolicy, transition: Transition) -> None:
    """Remove expired memories that prevent a new one, by their id or by their number. Raises QuotaExceeded."""
    editor = transition.open(MEMORIES)
    there = editor.memories.memories.get(memory_id)
    if there is not None:
        remove_memory(there, EventCause.EXPIRY, editor, policy)
    most = transition.limits.memories_per_agent
    if editor.memories.known_count < most:
        return
    memories, now = editor.memories, transition.now
    over = (due_id for due_id in memories.deadlines.due(now) if not memories.memories[due_id].is_live(now))
    # Remove at most as many as a sweep: that makes enough room, and keeps the daemon responsive.
    changes_max = len(transition.changes) + DUE_MEMORY_CHANGES_PER_SWEEP_MAX
    for due_id in itertools.islice(over, DUE_MEMORIES_PER_SWEEP_MAX):
        if len(transition.changes) >= changes_max:
            break
        remove_memory(memories.memories[due_id], EventCause.EXPIRY, editor, policy)
    if editor.memories.known_count >= most:
        raise QuotaExceeded("memories_per_agent", most)


def _duplicate_of(draft: MemoryDraft, transition: Transition) -> Memory | None:
    """Return the duplicate of a draft: a memory with the same content, or the one that was found before.

    It belongs to the same owner. A memory that expires before the draft would is no duplicate, since the draft's
    content would be lost with it.
    """
    editor = transition.open(MEMORIES)
    for memory_id in (*sorted(editor.memories.copies_of(draft.content)), draft.duplicate_of):
        memory = editor.memories.find(memory_id, transition.now)
        if memory is not None and is_kin(memory, draft.owner) and _stays_as_long(memory, draft):
            return memory
    return None


def _stays_as_long(memory: Memory, draft: MemoryDraft) -> bool:
    if memory.expire_time is None:
        return True
    return draft.expire_time is not None and draft.expire_time <= memory.expire_time
