"""An agent's long-term memory: an immutable value whose operations on one memory cost the same at any size."""

from collections.abc import Collection, Iterable, Iterator

import immutables
import msgspec

from memoryd_server.domain.error import HistoryCompacted
from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.memory import Memory, MemoryVersion, Purge
from memoryd_server.domain.memories.memory_link import (
    NO_IDS,
    NO_SUCCESSION,
    Ids,
    LinkType,
    MemoryLink,
    Succession,
    link_key,
)
from memoryd_server.domain.values.deadline import Deadlines, earliest

_Links = immutables.Map[str, MemoryLink]
_NO_LINKS: _Links = immutables.Map()
_Copies = immutables.Map[str, str | Ids]
_Successions = immutables.Map[str, Succession]


class LongTermMemory(msgspec.Struct, frozen=True):
    """Memories by their ids, with what belongs to them and the indexes that find them.

    ``links`` has the links of each memory by their keys, whether they begin or end at it. ``successions`` has what
    each memory supersedes, and what supersedes it, however many other links there are. ``versions`` has the earlier
    versions of each memory, the oldest first. ``copies`` has the ids of memories by their content; one id is itself.
    ``deadlines`` are those of the memories, ``version_deadlines`` those of each memory's oldest version. ``purges`` are
    by memory id; ``blocked`` has those that block a content, by its digest, and ``unerased`` the incomplete ones.
    """

    memories: immutables.Map[str, Memory] = immutables.Map()
    embeddings: immutables.Map[str, Embedding] = immutables.Map()
    links: immutables.Map[str, _Links] = immutables.Map()
    successions: _Successions = immutables.Map()
    versions: immutables.Map[str, tuple[MemoryVersion, ...]] = immutables.Map()
    copies: _Copies = immutables.Map()
    deadlines: Deadlines[str] = Deadlines()
    version_deadlines: Deadlines[str] = Deadlines()
    purges: immutables.Map[str, Purge] = immutables.Map()
    blocked: immutables.Map[bytes, Ids] = immutables.Map()
    unerased: Ids = NO_IDS
    next_sequence: int = 0
    forgotten_count: int = 0
    link_count: int = 0
    version_count: int = 0

    @classmethod
    def of(
        cls,
        memories: Iterable[Memory],
        embeddings: Iterable[Embedding] = (),
        links: Iterable[MemoryLink] = (),
        versions: Iterable[MemoryVersion] = (),
        purges: Iterable[Purge] = (),
    ) -> "LongTermMemory":
        """Return the long-term memory made of these records. All except purges must belong to existing memories."""
        stored = {memory.memory_id: memory for memory in memories}
        copies: dict[str, str | Ids] = {}
        for memory_id, memory in stored.items():
            held = copies.setdefault(memory.content, memory_id)
            if held is not memory_id:
                copies[memory.content] = _with_id(held, memory_id)
        linked: dict[str, dict[str, MemoryLink]] = {}
        successions: _Successions = immutables.Map()
        for link in links:
            linked.setdefault(link.from_id, {})[link.key] = link
            linked.setdefault(link.to_id, {})[link.key] = link
            successions = _with_successor(successions, link, stored[link.from_id])
        earlier: dict[str, list[MemoryVersion]] = {}
        for version in sorted(versions, key=lambda each: each.end_time):
            earlier.setdefault(version.memory.memory_id, []).append(version)
        value = cls(
            immutables.Map(stored),
            immutables.Map({embedding.memory_id: embedding for embedding in embeddings}),
            immutables.Map({memory_id: immutables.Map(each) for memory_id, each in linked.items()}),
            successions,
            immutables.Map({memory_id: tuple(each) for memory_id, each in earlier.items()}),
            immutables.Map(copies),
            Deadlines.of(
                (memory_id, deadline) for memory_id, each in stored.items() if (deadline := each.deadline) is not None
            ),
            Deadlines.of((memory_id, each[0].drop_time) for memory_id, each in earlier.items()),
            next_sequence=max((memory.sequence for memory in stored.values()), default=-1) + 1,
            forgotten_count=sum(memory.is_forgotten for memory in stored.values()),
            link_count=sum(map(len, linked.values())) // 2,
            version_count=sum(map(len, earlier.values())),
        )
        for purge in purges:
            value = value.put_purge(purge)
        return value

    def __len__(self) -> int:
        return len(self.memories)

    @property
    def record_count(self) -> int:
        """The number of records that the store holds of long-term memory."""
        return len(self.memories) + len(self.embeddings) + self.link_count + self.version_count + len(self.purges)

    @property
    def known_count(self) -> int:
        """The number of memories and of blocked contents, which one limit bounds together."""
        return len(self.memories) + len(self.blocked)

    @property
    def next_deadline(self) -> int | None:
        """The time at which the next memory or version is due; 0 while a purge is incomplete."""
        if self.unerased:
            return 0
        return earliest(self.deadlines.first, self.version_deadlines.first)

    def size_bytes(self, now: int) -> int:
        """Return the bytes that live memories and what belongs to them count against the storage limit."""
        size = 0
        for memory in self.live(now):
            embedding = self.embeddings.get(memory.memory_id)
            size += memory.size_bytes + (0 if embedding is None else embedding.size_bytes)
            size += sum(version.size_bytes for version in self.versions.get(memory.memory_id, ()))
        return size

    def find(self, memory_id: str, now: int) -> Memory | None:
        """Return the memory with this id, forgotten or not, unless it has expired at ``now``."""
        memory = self.memories.get(memory_id)
        return memory if memory is not None and memory.is_live(now) else None

    def live(self, now: int) -> Iterator[Memory]:
        """Return the memories that have not expired at ``now``, including forgotten ones, in no order."""
        return (memory for memory in self.memories.values() if memory.is_live(now))

    def links_of(self, memory_id: str) -> Collection[MemoryLink]:
        """Return the links that begin or end at a memory, in no order."""
        return list(self.links.get(memory_id, _NO_LINKS).values())

    def link(self, from_id: str, to_id: str, link_type: LinkType) -> MemoryLink | None:
        """Return the link of a type from one memory to another, None if there is none."""
        return self.links.get(from_id, _NO_LINKS).get(link_key(from_id, to_id, link_type))

    def link_count_of(self, memory_id: str) -> int:
        """Return the number of links that begin or end at a memory."""
        return len(self.links.get(memory_id, _NO_LINKS))

    def succession_of(self, memory_id: str) -> Succession:
        """Return which memories a memory supersedes, and which supersede it."""
        return self.successions.get(memory_id, NO_SUCCESSION)

    def link_strength(self, memory_id: str) -> float:
        """Return the sum of the strengths of a memory's links."""
        return sum(link.strength for link in self.links_of(memory_id))

    def copies_of(self, content: str) -> Iterable[str]:
        """Return the ids of the memories with exactly this content."""
        held = self.copies.get(content, NO_IDS)
        return (held,) if isinstance(held, str) else held

    def was(self, memory_id: str, time: int, now: int) -> Memory | None:
        """Return a memory as of an earlier time, None if it did not exist then. Raises HistoryCompacted."""
        memory = self.find(memory_id, now)
        if memory is None or memory.create_time > time:
            return None
        found = self._version_at(memory, time)
        if found is None:
            raise HistoryCompacted(self._oldest_time(memory))
        return found

    def all_at(self, time: int, now: int) -> list[Memory]:
        """Return all memories that still exist as of an earlier time, in no order. Raises HistoryCompacted."""
        there = [memory for memory in self.live(now) if memory.create_time <= time]
        found = [version for memory in there if (version := self._version_at(memory, time)) is not None]
        if len(found) < len(there):
            unknown = (memory for memory in there if self._version_at(memory, time) is None)
            raise HistoryCompacted(max(self._oldest_time(memory) for memory in unknown))
        return found

    def put(self, memory: Memory) -> "LongTermMemory":
        """Return the value with a memory, which replaces one with the same id."""
        memory_id = memory.memory_id
        copies, deadlines, successions = self.copies, self.deadlines, self.successions
        forgotten_count = self.forgotten_count + memory.is_forgotten
        before = self.memories.get(memory_id)
        if before is not None:
            forgotten_count -= before.is_forgotten
            if before.deadline is not None:
                deadlines = deadlines.remove(memory_id, before.deadline)
            if before.is_forgotten is not memory.is_forgotten:
                successions = _with_force(successions, memory)
        if before is None or before.content != memory.content:
            if before is not None:
                copies = _without_copy(copies, before)
            copies = _with_copy(copies, memory)
        if memory.deadline is not None:
            deadlines = deadlines.add(memory_id, memory.deadline)
        return msgspec.structs.replace(
            self,
            memories=self.memories.set(memory_id, memory),
            successions=successions,
            copies=copies,
            deadlines=deadlines,
            next_sequence=max(self.next_sequence, memory.sequence + 1),
            forgotten_count=forgotten_count,
        )

    def remove(self, memory: Memory) -> "LongTermMemory":
        """Return the value without an existing memory, whose links, versions and embedding were removed before."""
        deadlines = self.deadlines
        if memory.deadline is not None:
            deadlines = deadlines.remove(memory.memory_id, memory.deadline)
        return msgspec.structs.replace(
            self,
            memories=self.memories.delete(memory.memory_id),
            copies=_without_copy(self.copies, memory),
            deadlines=deadlines,
            forgotten_count=self.forgotten_count - memory.is_forgotten,
        )

    def purges_alone(self) -> "LongTermMemory":
        """Return the value without memories, but with the purges and the next sequence, so that none is reused."""
        return LongTermMemory(
            purges=self.purges, blocked=self.blocked, unerased=self.unerased, next_sequence=self.next_sequence
        )

    def put_embedding(self, embedding: Embedding) -> "LongTermMemory":
        """Return the value with the embedding of an existing memory."""
        return msgspec.structs.replace(self, embeddings=self.embeddings.set(embedding.memory_id, embedding))

    def remove_embedding(self, memory_id: str) -> "LongTermMemory":
        """Return the value without an existing embedding."""
        return msgspec.structs.replace(self, embeddings=self.embeddings.delete(memory_id))

    def put_link(self, link: MemoryLink) -> "LongTermMemory":
        """Return the value with a link, which replaces one with the same memories and type."""
        links, successions = self.links, self.successions
        is_new = link.key not in links.get(link.from_id, _NO_LINKS)
        if is_new:
            successions = _with_successor(successions, link, self.memories[link.from_id])
        for end in (link.from_id, link.to_id):
            links = links.set(end, links.get(end, _NO_LINKS).set(link.key, link))
        return msgspec.structs.replace(self, links=links, successions=successions, link_count=self.link_count + is_new)

    def remove_link(self, link: MemoryLink) -> "LongTermMemory":
        """Return the value without an existing link."""
        links = self.links
        for end in {link.from_id, link.to_id}:
            left = links[end].delete(link.key)
            links = links.set(end, left) if left else links.delete(end)
        successions = _without_successor(self.successions, link, self.memories[link.from_id])
        return msgspec.structs.replace(self, links=links, successions=successions, link_count=self.link_count - 1)

    def put_version(self, version: MemoryVersion) -> "LongTermMemory":
        """Return the value with an earlier version of a memory, which replaces one with the same end time."""
        memory_id = version.memory.memory_id
        others = (each for each in self.versions.get(memory_id, ()) if each.end_time != version.end_time)
        kept = sorted((*others, version), key=lambda each: each.end_time)
        return self._with_versions(memory_id, tuple(kept))

    def remove_version(self, version: MemoryVersion) -> "LongTermMemory":
        """Return the value without an existing version."""
        memory_id = version.memory.memory_id
        kept = tuple(each for each in self.versions[memory_id] if each.end_time != version.end_time)
        return self._with_versions(memory_id, kept)

    def put_purge(self, purge: Purge) -> "LongTermMemory":
        """Return the value with a purge, which replaces one of the same memory id."""
        memory_id = purge.memory_id
        others = self.remove_purge(memory_id) if memory_id in self.purges else self
        unerased, blocked = others.unerased, others.blocked
        if not purge.is_erased:
            unerased = unerased.set(memory_id, None)
        for digest in purge.digests:
            blocked = blocked.set(digest, blocked.get(digest, NO_IDS).set(memory_id, None))
        purges = others.purges.set(memory_id, purge)
        return msgspec.structs.replace(others, purges=purges, unerased=unerased, blocked=blocked)

    def remove_purge(self, memory_id: str) -> "LongTermMemory":
        """Return the value without an existing purge."""
        purge = self.purges[memory_id]
        unerased, blocked = self.unerased, self.blocked
        if not purge.is_erased:
            unerased = unerased.delete(memory_id)
        for digest in purge.digests:
            blocked = _without_id(blocked, digest, memory_id)
        purges = self.purges.delete(memory_id)
        return msgspec.structs.replace(self, purges=purges, unerased=unerased, blocked=blocked)

    def _with_versions(self, memory_id: str, kept: tuple[MemoryVersion, ...]) -> "LongTermMemory":
        before = self.versions.get(memory_id, ())
        deadlines = self.version_deadlines
        if before:
            deadlines = deadlines.remove(memory_id, before[0].drop_time)
        if kept:
            deadlines = deadlines.add(memory_id, kept[0].drop_time)
        return msgspec.structs.replace(
            self,
            versions=self.versions.set(memory_id, kept) if kept else self.versions.delete(memory_id),
            version_deadlines=deadlines,
            version_count=self.version_count + len(kept) - len(before),
        )

    def _version_at(self, memory: Memory, time: int) -> Memory | None:
        """Return a memory as of a time; None if that version is no longer kept."""
        if memory.update_time <= time:
            return _with_confidence_at(memory, time)
        for version in self.versions.get(memory.memory_id, ()):
            if version.memory.update_time <= time < version.end_time:
                return _with_confidence_at(version.memory, time)
        return None

    def _oldest_time(self, memory: Memory) -> int:
        versions = self.versions.get(memory.memory_id, ())
        return versions[0].memory.update_time if versions else memory.update_time


def _with_confidence_at(memory: Memory, time: int) -> Memory:
    """Return the memory without the reinforcements after a time."""
    confidences = tuple(each for each in memory.confidences if each.time <= time) or memory.confidences[:1]
    if len(confidences) == len(memory.confidences):
        return memory
    reinforce_time = confidences[-1].time if len(confidences) > 1 else None
    return msgspec.structs.replace(memory, confidences=confidences, reinforce_time=reinforce_time)


def _with_id(held: str | Ids, memory_id: str) -> Ids:
    return (immutables.Map({held: None}) if isinstance(held, str) else held).set(memory_id, None)


def _with_copy(copies: _Copies, memory: Memory) -> _Copies:
    held = copies.get(memory.content)
    return copies.set(memory.content, memory.memory_id if held is None else _with_id(held, memory.memory_id))


def _without_copy(copies: _Copies, memory: Memory) -> _Copies:
    held = copies[memory.content]
    if isinstance(held, str):
        return copies.delete(memory.content)
    left = held.delete(memory.memory_id)
    return copies.set(memory.content, left if len(left) > 1 else next(iter(left)))


def _without_id(ids: immutables.Map[bytes, Ids], digest: bytes, memory_id: str) -> immutables.Map[bytes, Ids]:
    left = ids[digest].delete(memory_id)
    return ids.set(digest, left) if left else ids.delete(digest)


def _with_successor(successions: _Successions, link: MemoryLink, start: Memory) -> _Successions:
    """Return what is superseded with a new link from the memory ``start``."""
    if link.type is not LinkType.SUPERSEDES:
        return successions
    newer, older = (successions.get(each, NO_SUCCESSION) for each in (link.from_id, link.to_id))
    newer = msgspec.structs.replace(newer, superseded=newer.superseded.set(link.to_id, None))
    superseding = older.superseding.set(link.from_id, None)
    in_force = older.in_force + (not start.is_forgotten)
    older = msgspec.structs.replace(older, superseding=superseding, in_force=in_force)
    return successions.set(link.from_id, newer).set(link.to_id, older)


def _without_successor(successions: _Successions, link: MemoryLink, start: Memory) -> _Successions:
    """Return what is superseded without an existing link from the memory ``start``."""
    if link.type is not LinkType.SUPERSEDES:
        return successions
    newer, older = successions[link.from_id], successions[link.to_id]
    newer = msgspec.structs.replace(newer, superseded=newer.superseded.delete(link.to_id))
    superseding = older.superseding.delete(link.from_id)
    in_force = older.in_force - (not start.is_forgotten)
    older = msgspec.structs.replace(older, superseding=superseding, in_force=in_force)
    for memory_id, left in ((link.from_id, newer), (link.to_id, older)):
        has_any = left.superseded or left.superseding
        successions = successions.set(memory_id, left) if has_any else successions.delete(memory_id)
    return successions


def _with_force(successions: _Successions, memory: Memory) -> _Successions:
    """Return what is superseded after a memory was forgotten or restored."""
    # A memory may have a thousand such links: change the map in place, then freeze it.
    with successions.mutate() as changed:
        for superseded_id in successions.get(memory.memory_id, NO_SUCCESSION).superseded:
            older = successions[superseded_id]
            in_force = older.in_force + (-1 if memory.is_forgotten else 1)
            changed[superseded_id] = Succession(older.superseded, older.superseding, in_force)
    return changed.finish()
