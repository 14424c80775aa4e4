"""What changes an agent's memories on its way to the next state: the value, the records, the size and the events."""

from typing import Any, cast

import msgspec

from memoryd_server.domain.agent.event import EventCause, EventType
from memoryd_server.domain.agent.transition import (
    Changes,
    Transition,
    embedding_record,
    link_record,
    memory_record,
    purge_record,
    version_record,
)
from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.memory import Memory, MemoryVersion, Purge
from memoryd_server.domain.memories.memory_link import MemoryLink
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.salience import archive_time_of


def put_memory(transition: Transition, memory: Memory, policy: MemoryPolicy) -> Memory:
    """Put a memory in the place of one with the same id, without an event; answers it with its new archive time."""
    strength = transition.memories.link_strength(memory.memory_id)
    archive_time = archive_time_of(memory, strength, policy.salience)
    return put_as_it_is(transition, msgspec.structs.replace(memory, archive_time=archive_time))


def put_as_it_is(transition: Transition, memory: Memory) -> Memory:
    """Put a memory as it was, archive time and all, without an event; answers it."""
    before = transition.memories.memories.get(memory.memory_id)
    transition.size_bytes += memory.size_bytes - (0 if before is None else before.size_bytes)
    transition.memories = transition.memories.put(memory)
    transition.changes[memory_record(memory.memory_id)] = memory
    if memory.deadline is not None:
        transition.note_deadline(memory.deadline)
    return memory


def tell_memory(transition: Transition, event_type: EventType, memory: Memory, cause: EventCause) -> None:
    """Tell what a memory is now."""
    transition.tell(event_type, cause, memory=memory, memory_id=memory.memory_id)


def revise_memory(
    transition: Transition,
    before: Memory,
    after: Memory,
    policy: MemoryPolicy,
    event_type: EventType,
    cause: EventCause,
) -> None:
    """Change what a memory tells, with its event. What it was before is kept as a version."""
    # What began at this very moment is never asked for.
    if before.update_time < transition.now and policy.history_ns and policy.versions_max:
        _keep_version(transition, before, policy)
    revised = msgspec.structs.replace(after, update_time=transition.now, revision=transition.revision)
    kept = put_memory(transition, revised, policy)
    transition.tell(
        event_type,
        cause,
        memory=None if event_type is EventType.MEMORY_FORGOTTEN else kept,
        memory_id=kept.memory_id,
    )


def remove_memory(transition: Transition, memory: Memory, cause: EventCause) -> None:
    """Remove a memory with all that belongs to it, with one event."""
    memory_id = memory.memory_id
    for link in transition.memories.links_of(memory_id):
        drop_link(transition, link)
    drop_versions(transition, memory_id)
    drop_embedding(transition, memory_id)
    transition.memories = transition.memories.remove(memory)
    transition.size_bytes -= memory.size_bytes
    transition.changes[memory_record(memory_id)] = None
    transition.tell(EventType.MEMORY_PURGED, cause, memory_id=memory_id)


def clear_memories(transition: Transition, cause: EventCause) -> int:
    """Remove all memories with all that belongs to them, with one event; answers how many were live.

    What was purged is still kept out.
    """
    memories = transition.memories
    if not memories:
        return 0
    cleared = sum(1 for _ in memories.live(transition.now))
    links = (link for links in memories.links.values() for link in links.values())
    versions = [version for kept in memories.versions.values() for version in kept]
    transition.changes.update(dict.fromkeys(map(memory_record, memories.memories)))
    transition.changes.update(dict.fromkeys(map(embedding_record, memories.embeddings)))
    transition.changes.update(dict.fromkeys(map(link_record, links)))
    transition.changes.update(dict.fromkeys(map(version_record, versions)))
    sized = (memories.memories.values(), memories.embeddings.values(), versions)
    transition.size_bytes -= sum(each.size_bytes for values in sized for each in values)
    transition.memories = memories.purges_alone()
    transition.tell(EventType.MEMORIES_CLEARED, cause, memory_count=cleared)
    return cleared


def put_embedding(transition: Transition, embedding: Embedding) -> None:
    """Put the vector of a memory that is there, in the place of another."""
    before = transition.memories.embeddings.get(embedding.memory_id)
    transition.size_bytes += embedding.size_bytes - (0 if before is None else before.size_bytes)
    transition.memories = transition.memories.put_embedding(embedding)
    transition.changes[embedding_record(embedding.memory_id)] = embedding


def drop_embedding(transition: Transition, memory_id: str) -> None:
    """Remove the vector of a memory, if it has one."""
    before = transition.memories.embeddings.get(memory_id)
    if before is not None:
        transition.size_bytes -= before.size_bytes
        transition.memories = transition.memories.remove_embedding(memory_id)
        transition.changes[embedding_record(memory_id)] = None


def put_link(transition: Transition, link: MemoryLink, cause: EventCause) -> None:
    """Put a link between memories that are there, with its event."""
    transition.memories = transition.memories.put_link(link)
    transition.changes[link_record(link)] = link
    transition.tell(EventType.MEMORIES_LINKED, cause, memory_id=link.from_id, link=link)


def drop_link(transition: Transition, link: MemoryLink) -> None:
    """Remove a link that is there, without an event."""
    transition.memories = transition.memories.remove_link(link)
    transition.changes[link_record(link)] = None


def put_version(transition: Transition, version: MemoryVersion) -> None:
    """Put what a memory that is there was before, in the place of what ended at the same time."""
    known = transition.memories.versions.get(version.memory.memory_id, ())
    transition.size_bytes -= sum(each.size_bytes for each in known if each.end_time == version.end_time)
    transition.size_bytes += version.size_bytes
    transition.memories = transition.memories.put_version(version)
    transition.changes[version_record(version)] = version
    transition.note_deadline(version.drop_time)


def drop_versions(transition: Transition, memory_id: str, until: int | None = None) -> None:
    """Forget what a memory was: all of it, or what is kept no longer than until a time."""
    for version in transition.memories.versions.get(memory_id, ()):
        if until is None or version.drop_time <= until:
            _drop_version(transition, version)


def put_purge(transition: Transition, purge: Purge) -> None:
    """Remember that a memory was purged."""
    transition.memories = transition.memories.put_purge(purge)
    transition.changes[purge_record(purge.memory_id)] = purge
    if not purge.is_erased:
        transition.note_deadline(0)


def drop_purge(transition: Transition, memory_id: str) -> None:
    """Forget that a memory was purged."""
    transition.memories = transition.memories.remove_purge(memory_id)
    transition.changes[purge_record(memory_id)] = None


def replay_memories(transition: Transition, changes: Changes) -> None:
    """Put and delete what belongs to memories among these changes, which were decided elsewhere, without an event."""
    for kind in ("version", "link", "embedding", "purge", "memory"):
        for change, value in changes.items():
            if change.kind == kind and value is None:
                _replay_deletion(transition, kind, change.key)
                transition.changes[change] = None
    for kind in ("memory", "version", "link", "embedding", "purge"):
        for change, value in changes.items():
            if change.kind == kind and value is not None:
                _replay_put(transition, value)
                transition.changes[change] = value


def _replay_deletion(transition: Transition, kind: str, key: str) -> None:
    memories = transition.memories
    match kind:
        case "memory" if key in memories.memories:
            transition.size_bytes -= memories.memories[key].size_bytes
            transition.memories = memories.remove(memories.memories[key])
        case "embedding" if key in memories.embeddings:
            transition.size_bytes -= memories.embeddings[key].size_bytes
            transition.memories = memories.remove_embedding(key)
        case "purge" if key in memories.purges:
            transition.memories = memories.remove_purge(key)
        case "link":
            from_id, _, _ = key.partition("/")
            for link in memories.links_of(from_id):
                if link.key == key:
                    transition.memories = memories.remove_link(link)
        case "version":
            memory_id, _, end_time = key.partition("/")
            for version in memories.versions.get(memory_id, ()):
                if str(version.end_time) == end_time:
                    transition.size_bytes -= version.size_bytes
                    transition.memories = memories.remove_version(version)


def _replay_put(transition: Transition, value: Any) -> None:
    memories = transition.memories
    match value:
        case Memory():
            before: Any = memories.memories.get(value.memory_id)
            transition.memories = memories.put(value)
        case Embedding():
            before = memories.embeddings.get(value.memory_id)
            transition.memories = memories.put_embedding(value)
        case MemoryVersion():
            known = memories.versions.get(value.memory.memory_id, ())
            before = next((each for each in known if each.end_time == value.end_time), None)
            transition.memories = memories.put_version(value)
        case MemoryLink():
            transition.memories = memories.put_link(value)
            return
        case _:
            transition.memories = memories.put_purge(cast("Purge", value))
            return
    transition.size_bytes += value.size_bytes - (0 if before is None else before.size_bytes)


def _keep_version(transition: Transition, memory: Memory, policy: MemoryPolicy) -> None:
    now = transition.now
    put_version(transition, MemoryVersion(memory, now, now + policy.history_ns))
    known = transition.memories.versions[memory.memory_id]
    for version in known[: max(len(known) - policy.versions_max, 0)]:
        _drop_version(transition, version)


def _drop_version(transition: Transition, version: MemoryVersion) -> None:
    transition.size_bytes -= version.size_bytes
    transition.memories = transition.memories.remove_version(version)
    transition.changes[version_record(version)] = None
