"""How commands about memories are decided."""

import itertools
from collections.abc import Iterable

import msgspec

from memoryd_server.domain.agent.command import (
    CreateMemories,
    FinishPurges,
    ForgetMemory,
    KeepEmbeddings,
    MemoryAccess,
    MemoryPatch,
    PurgeMemory,
    ReinforceMemory,
    UpdateMemory,
)
from memoryd_server.domain.agent.event import EventCause, EventType
from memoryd_server.domain.agent.result import (
    CreationOutcome,
    EmbeddingsKept,
    MemoriesCreated,
    MemoryChanged,
    MemoryCreated,
    MemoryPurged,
    MemoryReinforced,
    PurgesFinished,
)
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.entries.entry_change import check_agent
from memoryd_server.domain.error import InvalidField, LimitExceeded, MemoryExists, MemoryNotFound
from memoryd_server.domain.limit import (
    CONFIDENCES_KEPT_MAX,
    DUE_MEMORIES_PER_SWEEP_MAX,
    DUE_MEMORY_BYTES_PER_SWEEP_MAX,
    LINKS_PER_MEMORY_MAX,
)
from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.link_change import make_link
from memoryd_server.domain.memories.memory import (
    Confidence,
    Memory,
    MemoryDraft,
    MemoryStatus,
    Purge,
    memory_of,
    purge_digest_of,
    size_of,
)
from memoryd_server.domain.memories.memory_check import check_memory, known_memory
from memoryd_server.domain.memories.memory_link import STRENGTH_DEFAULT, LinkType, MemoryLink
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.memory_transition import (
    drop_embedding,
    drop_purge,
    drop_versions,
    put_as_it_is,
    put_embedding,
    put_link,
    put_memory,
    put_purge,
    remove_memory,
    revise_memory,
    tell_memory,
)
from memoryd_server.domain.memories.salience import archive_time_of

_REINFORCED_SHARE = 0.2
"""Which share of the missing confidence a reinforcement adds that does not say how sure the memory is."""


def create_memories(
    command: CreateMemories, transition: Transition, cause: EventCause = EventCause.REQUEST
) -> MemoriesCreated:
    """Create memories. Raises RevisionMismatch, MemoryExists, LimitExceeded, and what making links raises."""
    check_agent(command.precondition, transition)
    created = [
        _create(draft, f"{command.new_id}{index:03x}", command.policy, transition, cause)
        for index, draft in enumerate(command.drafts)
    ]
    _check_size(transition)
    return MemoriesCreated(tuple(created), transition.result_revision)


def update_memory(command: UpdateMemory, transition: Transition) -> MemoryChanged:
    """Change what a memory tells.

    Raises MemoryNotFound, RevisionMismatch, LimitExceeded, and InvalidField for a content that is kept out.
    """
    before = known_memory(command.memory_id, transition)
    check_memory(command.precondition, before)
    after = _patched(before, command.patch, transition)
    if after != before:
        if after.content != before.content:
            if purge_digest_of(after) in transition.memories.kept_out:
                raise InvalidField("memory.content", "was purged so that it does not come back")
            drop_embedding(transition, before.memory_id)
        revise_memory(transition, before, after, command.policy, EventType.MEMORY_UPDATED, EventCause.REQUEST)
    has_other_vector = False
    if command.identity is not None:
        given = Embedding(before.memory_id, command.identity, command.vector, command.is_vector_given)
        has_other_vector = transition.memories.embeddings.get(before.memory_id) != given
        put_embedding(transition, given)
        if after == before:
            transition.keep_revision()
    _check_size(transition)
    return MemoryChanged(after != before or has_other_vector, transition.result_revision)


def reinforce_memory(command: ReinforceMemory, transition: Transition) -> MemoryReinforced:
    """Make a memory surer. Raises MemoryNotFound, RevisionMismatch."""
    memory = known_memory(command.memory_id, transition)
    check_memory(command.precondition, memory)
    reinforced = _reinforce(memory, command.confidence, command.policy, transition, EventCause.REQUEST)
    return MemoryReinforced(reinforced.confidence, reinforced.reinforce_count, transition.revision)


def forget_memory(command: ForgetMemory, transition: Transition) -> MemoryChanged:
    """Forget a memory, or restore a forgotten one. Raises MemoryNotFound, RevisionMismatch."""
    memory = transition.memories.find(command.memory_id, transition.now)
    if memory is None:
        raise MemoryNotFound(transition.state.agent_id, command.memory_id)
    check_memory(command.precondition, memory)
    if memory.is_forgotten is not command.restores:
        return MemoryChanged(False, transition.state.revision, memory.purge_time)
    if command.restores:
        restored = msgspec.structs.replace(memory, forget_time=None, purge_time=None, last_access_time=transition.now)
        revise_memory(transition, memory, restored, command.policy, EventType.MEMORY_RESTORED, EventCause.REQUEST)
        return MemoryChanged(True, transition.revision)
    purge_time = transition.now + command.policy.forgotten_ns
    forgotten = msgspec.structs.replace(memory, forget_time=transition.now, purge_time=purge_time)
    revise_memory(transition, memory, forgotten, command.policy, EventType.MEMORY_FORGOTTEN, EventCause.REQUEST)
    return MemoryChanged(True, transition.revision, purge_time)


def purge_memory(command: PurgeMemory, transition: Transition) -> MemoryPurged:
    """Remove a memory for good, forgotten or not. Raises MemoryNotFound, RevisionMismatch."""
    memory = transition.memories.find(command.memory_id, transition.now)
    if memory is None:
        raise MemoryNotFound(transition.state.agent_id, command.memory_id)
    check_memory(command.precondition, memory)
    remove_memory(transition, memory, EventCause.REQUEST)
    earlier = transition.memories.purges.get(memory.memory_id)
    digests = () if earlier is None else earlier.digests
    if command.keeps_out:
        digests = tuple(dict.fromkeys((*digests, purge_digest_of(memory))))
    put_purge(transition, Purge(memory.memory_id, transition.now, digests, revision=transition.revision))
    return MemoryPurged(transition.revision)


def finish_purges(command: FinishPurges, transition: Transition) -> PurgesFinished:
    """Note that purges are complete; those that keep nothing out are not remembered any longer."""
    for memory_id in command.memory_ids:
        purge = transition.memories.purges.get(memory_id)
        if purge is not None and not purge.is_erased and purge.revision <= command.revision:
            if purge.digests:
                put_purge(transition, msgspec.structs.replace(purge, is_erased=True))
            else:
                drop_purge(transition, memory_id)
    transition.learn_next_deadline()
    transition.keep_revision()
    return PurgesFinished(transition.state.revision)


def keep_embeddings(command: KeepEmbeddings, transition: Transition) -> EmbeddingsKept:
    """Keep vectors of memories whose content is still what was embedded."""
    kept = 0
    for embedded in command.embedded:
        memory_id = embedded.embedding.memory_id
        memory, before = transition.memories.memories.get(memory_id), transition.memories.embeddings.get(memory_id)
        is_free = before is None or not before.is_given or command.replaces_given
        if memory is not None and memory.content == embedded.content and is_free:
            put_embedding(transition, embedded.embedding)
            kept += 1
    transition.keep_revision()
    return EmbeddingsKept(kept, transition.state.revision)


def record_memory_accesses(accesses: Iterable[MemoryAccess], transition: Transition) -> None:
    """Keep how often memories were recalled."""
    for access in accesses:
        memory = transition.memories.memories.get(access.memory_id)
        if memory is not None:
            counted = msgspec.structs.replace(
                memory,
                access_count=memory.access_count + access.count,
                last_access_time=max(memory.last_access_time, access.last_time),
            )
            put_as_it_is(transition, counted)


def sweep_memories(transition: Transition, policy: MemoryPolicy, most: int) -> tuple[int, int]:
    """Do what is due, for so many memories at most, and fewer when they are large; answers how many went, and how many
    were archived.

    A memory that was recalled or linked since is given a later time to be looked at.
    """
    ended = archived = written_bytes = 0
    memories = transition.memories
    for memory_id in memories.deadlines.due(transition.now, most):
        memory = memories.memories[memory_id]
        if not memory.is_live(transition.now):
            remove_memory(transition, memory, EventCause.EXPIRY)
            ended += 1
            continue
        if written_bytes >= DUE_MEMORY_BYTES_PER_SWEEP_MAX:
            break
        written_bytes += memory.size_bytes
        if _has_faded(memory, transition, policy):
            faded = msgspec.structs.replace(memory, status=MemoryStatus.ARCHIVED)
            revise_memory(transition, memory, faded, policy, EventType.MEMORY_ARCHIVED, EventCause.EXPIRY)
            archived += 1
        else:
            put_memory(transition, memory, policy)
    for memory_id in memories.version_deadlines.due(transition.now, most):
        drop_versions(transition, memory_id, transition.now)
    return ended, archived


def _create(
    draft: MemoryDraft, new_id: str, policy: MemoryPolicy, transition: Transition, cause: EventCause
) -> MemoryCreated:
    if purge_digest_of(draft) in transition.memories.kept_out:
        return MemoryCreated(CreationOutcome.KEPT_OUT, "", draft.type)
    if draft.memory_id and transition.memories.find(draft.memory_id, transition.now) is not None:
        raise MemoryExists(draft.memory_id)
    duplicate = _duplicate_of(draft, transition) if draft.looks_for_kin else None
    if duplicate is not None:
        _reinforce(duplicate, None, policy, transition, EventCause.DUPLICATE)
        return MemoryCreated(CreationOutcome.REINFORCED, duplicate.memory_id, duplicate.type)
    memory_id = draft.memory_id or new_id
    _make_room(memory_id, transition)
    sequence = transition.memories.next_sequence
    memory = memory_of(draft, memory_id, sequence, transition.revision, transition.now)
    tell_memory(transition, EventType.MEMORY_CREATED, put_memory(transition, memory, policy), cause)
    if draft.identity is not None:
        put_embedding(transition, Embedding(memory_id, draft.identity, draft.vector, draft.is_vector_given))
    for link in draft.links:
        make_link(memory_id, link, policy, transition)
    contradicts = _link(memory, LinkType.CONTRADICTS, draft.contradicts, EventCause.CONTRADICTION, transition)
    relates_to = _link(memory, LinkType.RELATED, draft.relates_to, EventCause.SIMILARITY, transition)
    origins = tuple((origin_id, STRENGTH_DEFAULT) for origin_id in draft.derives_from)
    _link(memory, LinkType.DERIVED_FROM, origins, cause, transition)
    return MemoryCreated(CreationOutcome.CREATED, memory_id, memory.type, contradicts, relates_to)


def _make_room(memory_id: str, transition: Transition) -> None:
    """Remove what is over and in the way of a new memory. Raises LimitExceeded."""
    there = transition.memories.memories.get(memory_id)
    if there is not None:
        remove_memory(transition, there, EventCause.EXPIRY)
    most = transition.limits.memories_per_agent
    if transition.memories.known_count < most:
        return
    memories, now = transition.memories, transition.now
    over = (due_id for due_id in memories.deadlines.due(now) if not memories.memories[due_id].is_live(now))
    # No more at once than a sweep: there is room for as many, and the others of the daemon wait.
    for due_id in itertools.islice(over, DUE_MEMORIES_PER_SWEEP_MAX):
        remove_memory(transition, memories.memories[due_id], EventCause.EXPIRY)
    if transition.memories.known_count >= most:
        raise LimitExceeded("memories_per_agent", most)


def _duplicate_of(draft: MemoryDraft, transition: Transition) -> Memory | None:
    """The memory of the same owner that tells the same: word for word, or the one that was found before.

    One that ends before the draft is to end is none: with it would go what the draft tells.
    """
    for memory_id in (*sorted(transition.memories.copies_of(draft.content)), draft.duplicate_of):
        memory = transition.memories.find(memory_id, transition.now)
        if memory is not None and _is_kin(memory, draft.owner) and _stays_as_long(memory, draft):
            return memory
    return None


def _stays_as_long(memory: Memory, draft: MemoryDraft) -> bool:
    if memory.expire_time is None:
        return True
    return draft.expire_time is not None and draft.expire_time <= memory.expire_time


def _link(
    memory: Memory,
    link_type: LinkType,
    others: Iterable[tuple[str, float]],
    cause: EventCause,
    transition: Transition,
) -> tuple[str, ...]:
    """Link a new memory with those of the same owner that are there; answers which."""
    linked = []
    for other_id, strength in others:
        other = transition.memories.find(other_id, transition.now)
        if other is None or other_id == memory.memory_id or not _is_kin(other, memory.owner):
            continue
        if all(len(transition.memories.links_of(each)) < LINKS_PER_MEMORY_MAX for each in (memory.memory_id, other_id)):
            link = MemoryLink(memory.memory_id, other_id, link_type, strength, transition.now, transition.revision)
            put_link(transition, link, cause)
            linked.append(other_id)
    return tuple(linked)


def _is_kin(memory: Memory, owner: tuple[str, str]) -> bool:
    """Whether a memory may be reinforced by another one, or be linked with it."""
    return memory.owner == owner and not memory.is_forgotten and memory.status is not MemoryStatus.SUPERSEDED


def _reinforce(
    memory: Memory, confidence: float | None, policy: MemoryPolicy, transition: Transition, cause: EventCause
) -> Memory:
    surer = memory.confidence + (1 - memory.confidence) * _REINFORCED_SHARE
    value = surer if confidence is None else confidence
    is_archived = memory.status is MemoryStatus.ARCHIVED
    reinforced = msgspec.structs.replace(
        memory,
        revision=transition.revision,
        confidences=(*memory.confidences, Confidence(transition.now, value))[-CONFIDENCES_KEPT_MAX:],
        reinforce_count=memory.reinforce_count + 1,
        reinforce_time=transition.now,
        status=MemoryStatus.ACTIVE if is_archived else memory.status,
    )
    if is_archived:
        revise_memory(transition, memory, reinforced, policy, EventType.MEMORY_REINFORCED, cause)
        return reinforced
    kept = put_memory(transition, reinforced, policy)
    tell_memory(transition, EventType.MEMORY_REINFORCED, kept, cause)
    return kept


def _patched(before: Memory, patch: MemoryPatch, transition: Transition) -> Memory:
    fields = {name: value for name, value in msgspec.structs.asdict(patch).items() if value is not msgspec.UNSET}
    after: Memory = msgspec.structs.replace(before, **fields)
    if after.status is MemoryStatus.ACTIVE and before.status is not MemoryStatus.ACTIVE:
        # Else it would fade again at once.
        after = msgspec.structs.replace(after, last_access_time=transition.now)
    return msgspec.structs.replace(after, size_bytes=size_of(after))


def _has_faded(memory: Memory, transition: Transition, policy: MemoryPolicy) -> bool:
    """Whether the time to archive an active memory has come, with what was recalled and linked since it was last told.

    The salience itself is not asked: rounded, it may be at the threshold still, and the memory would be due for ever.
    """
    strength = transition.memories.link_strength(memory.memory_id)
    archive_time = archive_time_of(memory, strength, policy.salience)
    return archive_time is not None and archive_time <= transition.now


def _check_size(transition: Transition) -> None:
    most = transition.limits.storage_bytes_per_agent
    if transition.size_bytes > max(most, transition.state.size_bytes):
        raise LimitExceeded("storage_bytes_per_agent", most)
