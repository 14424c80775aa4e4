"""Editing of an agent's memories within a transition: the value, the records, the size and the events."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import msgspec

from memoryd_server.domain.agent.event import ClearedSubject
from memoryd_server.domain.agent.part import Access, ChangeKey, Changes, Counts, Growth, Records
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.agent.user_removal import UserRemoval
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.limit import DUE_MEMORIES_PER_SWEEP_MAX
from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.long_term_memory import LongTermMemory
from memoryd_server.domain.memories.memory import Memory, MemoryVersion, Purge, purge_digest_of
from memoryd_server.domain.memories.memory_link import MemoryLink
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.memory_restore import restore_memories
from memoryd_server.domain.memories.memory_subject import LinkSubject, MemorySubject
from memoryd_server.domain.memories.memory_sweep import sweep_memories
from memoryd_server.domain.memories.salience import archive_time_of
from memoryd_server.domain.record_kind import RecordKind

if TYPE_CHECKING:
    from memoryd_server.domain.memories.memory_part import MemoryPart


class MemoryEditor:
    """The editor of long-term memory; see ``domain.agent.part.Editor``. ``memories`` is the value so far."""

    __slots__ = ("before", "memories", "part", "transition")

    def __init__(self, part: "MemoryPart", before: LongTermMemory, transition: Transition) -> None:
        self.part = part
        self.before = before
        self.memories = before
        self.transition = transition

    @property
    def next_deadline(self) -> int | None:
        """The time at which the next memory or version is due; 0 while a purge is incomplete."""
        return self.memories.next_deadline

    def finish(self) -> LongTermMemory:
        """Return the memories after the transition."""
        return self.memories

    def growth(self) -> Growth:
        """Return the growth of the part within the transition."""
        part, before, after = self.part, self.before, self.memories
        memory_bytes = part.memory_bytes(after) - part.memory_bytes(before)
        return after.record_count - before.record_count, memory_bytes

    def put(self, memory: Memory, policy: MemoryPolicy) -> Memory:
        """Put a memory without an event, which may replace one of the same id; return it with its new archive time."""
        strength = self.memories.link_strength(memory.memory_id)
        archive_time = archive_time_of(memory, strength, policy.salience)
        return self.put_unchanged(msgspec.structs.replace(memory, archive_time=archive_time))

    def put_unchanged(self, memory: Memory) -> Memory:
        """Put a memory with its given archive time, without an event, and return it."""
        before = self.memories.memories.get(memory.memory_id)
        self.transition.size_bytes += memory.size_bytes - (0 if before is None else before.size_bytes)
        self.memories = self.memories.put(memory)
        self.transition.put("memory", memory.memory_id, memory)
        if memory.deadline is not None:
            self.transition.note_deadline(memory.deadline)
        return memory

    def emit_memory(
        self, event_type: EventType, memory: Memory, cause: EventCause, previous: Memory | None = None
    ) -> None:
        """Append an event with a memory as it is now. ``previous`` is the one before the change, None for a new one."""
        self.transition.emit(event_type, cause, MemorySubject(memory.memory_id, memory), previous)

    def revise(
        self,
        before: Memory,
        after: Memory,
        policy: MemoryPolicy,
        event_type: EventType,
        cause: EventCause,
    ) -> Memory:
        """Change a memory, emit the event, and return the memory. As it was before, it is kept as a version."""
        # A version that began at this very moment is not kept: it would be valid for no time at all.
        if before.update_time < self.transition.now and policy.history_ns and policy.versions_max:
            self._keep_version(before, policy)
        revised = msgspec.structs.replace(after, update_time=self.transition.now, revision=self.transition.revision)
        kept = self.put(revised, policy)
        shown = None if event_type is EventType.MEMORY_FORGOTTEN else kept
        self.transition.emit(event_type, cause, MemorySubject(kept.memory_id, shown), before)
        return kept

    def remove(self, memory: Memory, cause: EventCause) -> None:
        """Remove a memory with all that belongs to it, and emit one event. What it superseded stays as it is."""
        memory_id = memory.memory_id
        for link in self.memories.links_of(memory_id):
            self.drop_link(link)
        self.drop_versions(memory_id)
        self.drop_embedding(memory_id)
        self.memories = self.memories.remove(memory)
        self.transition.size_bytes -= memory.size_bytes
        self.transition.put("memory", memory_id, None)
        self.transition.emit(EventType.MEMORY_PURGED, cause, MemorySubject(memory_id), memory)

    def clear(self, cause: EventCause) -> Counts:
        """Remove all memories with all that belongs to them, and emit one event. Purges stay, to block contents."""
        memories, transition = self.memories, self.transition
        if not memories:
            return {}
        counts = {RecordKind.MEMORY: sum(1 for _ in memories.live(transition.now))}
        links = {link.key for links in memories.links.values() for link in links.values()}
        versions = [version for kept in memories.versions.values() for version in kept]
        for kind, keys in (
            ("memory", memories.memories),
            ("embedding", memories.embeddings),
            ("link", links),
            ("version", map(version_key, versions)),
        ):
            transition.changes.update(dict.fromkeys(ChangeKey(kind, key) for key in keys))
        sized = (memories.memories.values(), memories.embeddings.values(), versions)
        transition.size_bytes -= sum(each.size_bytes for values in sized for each in values)
        self.memories = memories.purges_alone()
        transition.emit(EventType.MEMORIES_CLEARED, cause, ClearedSubject(counts))
        return counts

    def forget_user(self, removal: UserRemoval) -> Counts:
        """Remove memories of a user, forgotten or not, and block their contents if the removal says so.

        What they supersede is of the same user, and is removed as well.
        """
        forgotten = 0
        for memory in [each for each in self.memories.memories.values() if removal.is_of(each.user_id)]:
            if not removal.takes(1 + len(self.memories.versions.get(memory.memory_id, ()))):
                break
            forgotten += memory.is_live(self.transition.now)
            self.remove(memory, EventCause.USER_FORGOTTEN)
            if removal.blocks_reimport:
                self._block(memory)
        return {RecordKind.MEMORY: forgotten}

    def _block(self, memory: Memory) -> None:
        """Block the content of a memory of a forgotten user, whose erasure also covers the memory."""
        earlier = self.memories.purges.get(memory.memory_id)
        digests = (*(() if earlier is None else earlier.digests), purge_digest_of(memory))
        is_erased = earlier is None or earlier.is_erased
        revision = self.transition.revision
        self.put_purge(
            Purge(memory.memory_id, self.transition.now, tuple(dict.fromkeys(digests)), is_erased, revision=revision)
        )

    def restore(self, image: Records) -> None:
        """Replace the memories by those of a snapshot, and emit an event for each difference."""
        restore_memories(image, self)

    def sweep(self, rules: MemoryPolicy | None) -> dict[str, int]:
        """Remove expired memories and archive faded ones, a bounded number; return their numbers by name."""
        ended, archived = sweep_memories(self, rules or MemoryPolicy(), DUE_MEMORIES_PER_SWEEP_MAX)
        return {"memories": ended, "memories_archived": archived}

    def record_accesses(self, accesses: Sequence[Access]) -> None:
        """Add counted recalls to the memories that still exist."""
        for access in accesses:
            memory = self.memories.memories.get(access.record_id)
            if memory is not None:
                self.put_unchanged(memory.accessed(access.count, access.last_time))

    def put_embedding(self, embedding: Embedding) -> None:
        """Put the embedding of an existing memory, which may replace another one."""
        before = self.memories.embeddings.get(embedding.memory_id)
        self.transition.size_bytes += embedding.size_bytes - (0 if before is None else before.size_bytes)
        self.memories = self.memories.put_embedding(embedding)
        self.transition.put("embedding", embedding.memory_id, embedding)

    def drop_embedding(self, memory_id: str) -> None:
        """Remove the embedding of a memory, if it has one."""
        before = self.memories.embeddings.get(memory_id)
        if before is not None:
            self.transition.size_bytes -= before.size_bytes
            self.memories = self.memories.remove_embedding(memory_id)
            self.transition.put("embedding", memory_id, None)

    def put_link(self, link: MemoryLink, cause: EventCause) -> None:
        """Put a link between existing memories, and emit its event."""
        previous = self.memories.link(link.from_id, link.to_id, link.type)
        self.memories = self.memories.put_link(link)
        self.transition.put("link", link.key, link)
        self.transition.emit(EventType.MEMORIES_LINKED, cause, LinkSubject(link), previous)

    def drop_link(self, link: MemoryLink) -> None:
        """Remove an existing link, without an event."""
        self.memories = self.memories.remove_link(link)
        self.transition.put("link", link.key, None)

    def put_version(self, version: MemoryVersion) -> None:
        """Put an earlier version of an existing memory, which may replace one with the same end time."""
        known = self.memories.versions.get(version.memory.memory_id, ())
        self.transition.size_bytes -= sum(each.size_bytes for each in known if each.end_time == version.end_time)
        self.transition.size_bytes += version.size_bytes
        self.memories = self.memories.put_version(version)
        self.transition.put("version", version_key(version), version)
        self.transition.note_deadline(version.drop_time)

    def drop_versions(self, memory_id: str, until: int | None = None) -> None:
        """Remove versions of a memory: all of them, or those with a drop time up to ``until``."""
        for version in self.memories.versions.get(memory_id, ()):
            if until is None or version.drop_time <= until:
                self._drop_version(version)

    def put_purge(self, purge: Purge) -> None:
        """Put the record of a purged memory."""
        self.memories = self.memories.put_purge(purge)
        self.transition.put("purge", purge.memory_id, purge)
        if not purge.is_erased:
            self.transition.note_deadline(0)

    def drop_purge(self, memory_id: str) -> None:
        """Remove the record of a purged memory."""
        self.memories = self.memories.remove_purge(memory_id)
        self.transition.put("purge", memory_id, None)

    def replay(self, changes: Changes) -> None:
        """Put and delete the records of long-term memory among these changes, without checks and events."""
        # Delete what belongs to a memory before the memory, and put it after: the value requires its memory to exist.
        for kind in ("version", "link", "embedding", "purge", "memory"):
            for change, value in changes.items():
                if change.kind == kind and value is None:
                    self._replay_deletion(kind, change.key)
                    self.transition.changes[change] = None
        for kind in ("memory", "version", "link", "embedding", "purge"):
            for change, value in changes.items():
                if change.kind == kind and value is not None:
                    self._replay_put(value)
                    self.transition.changes[change] = value

    def _replay_deletion(self, kind: str, key: str) -> None:
        memories = self.memories
        match kind:
            case "memory" if key in memories.memories:
                self.transition.size_bytes -= memories.memories[key].size_bytes
                self.memories = memories.remove(memories.memories[key])
            case "embedding" if key in memories.embeddings:
                self.transition.size_bytes -= memories.embeddings[key].size_bytes
                self.memories = memories.remove_embedding(key)
            case "purge" if key in memories.purges:
                self.memories = memories.remove_purge(key)
            case "link":
                from_id, _, _ = key.partition("/")
                for link in memories.links_of(from_id):
                    if link.key == key:
                        self.memories = memories.remove_link(link)
            case "version":
                memory_id, _, end_time = key.partition("/")
                for version in memories.versions.get(memory_id, ()):
                    if str(version.end_time) == end_time:
                        self.transition.size_bytes -= version.size_bytes
                        self.memories = memories.remove_version(version)

    def _replay_put(self, value: Any) -> None:
        memories = self.memories
        match value:
            case Memory():
                before: Any = memories.memories.get(value.memory_id)
                self.memories = memories.put(value)
            case Embedding():
                before = memories.embeddings.get(value.memory_id)
                self.memories = memories.put_embedding(value)
            case MemoryVersion():
                known = memories.versions.get(value.memory.memory_id, ())
                before = next((each for each in known if each.end_time == value.end_time), None)
                self.memories = memories.put_version(value)
            case MemoryLink():
                self.memories = memories.put_link(value)
                return
            case _:
                self.memories = memories.put_purge(cast("Purge", value))
                return
        self.transition.size_bytes += value.size_bytes - (0 if before is None else before.size_bytes)

    def _keep_version(self, memory: Memory, policy: MemoryPolicy) -> None:
        now = self.transition.now
        self.put_version(MemoryVersion(memory, now, now + policy.history_ns))
        known = self.memories.versions[memory.memory_id]
        for version in known[: max(len(known) - policy.versions_max, 0)]:
            self._drop_version(version)

    def _drop_version(self, version: MemoryVersion) -> None:
        self.transition.size_bytes -= version.size_bytes
        self.memories = self.memories.remove_version(version)
        self.transition.put("version", version_key(version), None)


def version_key(version: MemoryVersion) -> str:
    """Return the key of a version's record. It can be split again, since a memory id has no slash."""
    return f"{version.memory.memory_id}/{version.end_time}"
