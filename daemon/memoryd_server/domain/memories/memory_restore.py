"""Restore of an agent's memories from a snapshot."""

from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

import msgspec

from memoryd_server.domain.agent.part import Records
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.memories.memory import Memory, MemoryStatus, Purge, purge_digest_of
from memoryd_server.domain.memories.memory_link import STRENGTH_DEFAULT, LinkType, MemoryLink
from memoryd_server.domain.memories.memory_subject import LinkSubject

if TYPE_CHECKING:
    from memoryd_server.domain.memories.memory_editor import MemoryEditor


def restore_memories(image: Records, editor: "MemoryEditor") -> None:
    """Replace the memories by those of a snapshot, and emit an event for each difference.

    Contents that were purged and blocked since the snapshot was taken do not come back. The contents that the snapshot
    blocks are blocked again.
    """
    now = editor.transition.now
    blocked = _purged_since(image, editor)
    for purge in image["purge"]:
        _restore_purge(purge, editor)
    wanted = {
        memory.memory_id: memory
        for memory in image["memory"]
        if memory.is_live(now) and (purge_digest_of(memory) not in blocked or _is_there(memory, editor))
    }
    links = {link.key: link for link in image["link"] if link.from_id in wanted and link.to_id in wanted}
    _restore_superseding(image, wanted, links, editor)
    for memory in list(editor.memories.memories.values()):
        if memory.memory_id not in wanted:
            editor.remove(memory, EventCause.RESTORE)
    for memory in sorted(wanted.values(), key=lambda each: each.sequence):
        _restore_memory(memory, editor)
    _restore_links(links, wanted, editor)
    _restore_embeddings(image, wanted, editor)
    _restore_versions(image, wanted, blocked, editor)


def _purged_since(image: Records, editor: "MemoryEditor") -> set[bytes]:
    """Return the digests of blocked contents, without those whose purges the snapshot has.

    A purge that the snapshot has was made before it, so that a memory in the snapshot with such a content is
    legitimate.
    """
    known = {(purge.memory_id, digest) for purge in image["purge"] for digest in purge.digests}
    blocked = editor.memories.blocked.items()
    return {digest for digest, ids in blocked if any((memory_id, digest) not in known for memory_id in ids)}


def _restore_purge(purge: Purge, editor: "MemoryEditor") -> None:
    later = editor.memories.purges.get(purge.memory_id)
    if later is None and purge.digests:
        # The journal of this agent has nothing to erase for that purge: it is another journal, or was erased already.
        editor.put_purge(msgspec.structs.replace(purge, is_erased=True))
    elif later is not None and not set(purge.digests) <= set(later.digests):
        digests = tuple(dict.fromkeys((*purge.digests, *later.digests)))
        editor.put_purge(msgspec.structs.replace(later, digests=digests))


def _restore_superseding(
    image: Records, wanted: dict[str, Memory], links: dict[str, MemoryLink], editor: "MemoryEditor"
) -> None:
    """Let successors take over what memories superseded that are not restored, or make it active.

    ``wanted`` are the memories that are restored, and ``links`` the links, which this changes.
    """
    now, revision = editor.transition.now, editor.transition.revision
    superseding: dict[str, list[str]] = {}
    for link in image["link"]:
        if link.type is LinkType.SUPERSEDES:
            superseding.setdefault(link.to_id, []).append(link.from_id)
    # Of each memory, the newest one in force that supersedes it, directly or not; or itself, if it is in force.
    newest: dict[str, Memory | None] = {}
    for memory_id in TopologicalSorter(superseding).static_order():
        memory, starts = wanted.get(memory_id), superseding.get(memory_id, ())
        above = (found for start in starts if (found := newest[start]) is not None)
        successor = max(above, key=lambda each: each.sequence, default=None)
        newest[memory_id] = successor if memory is None or memory.is_forgotten else memory
        is_in_force = any(start in wanted and not wanted[start].is_forgotten for start in starts)
        if memory is None or memory.status is not MemoryStatus.SUPERSEDED or not starts or is_in_force:
            continue
        if successor is not None:
            link = MemoryLink(successor.memory_id, memory_id, LinkType.SUPERSEDES, STRENGTH_DEFAULT, now, now, revision)
            links[link.key] = link
        elif not memory.is_forgotten or wanted.keys().isdisjoint(starts):
            wanted[memory_id] = msgspec.structs.replace(memory, status=MemoryStatus.ACTIVE, last_access_time=now)


def _is_there(memory: Memory, editor: "MemoryEditor") -> bool:
    stored = editor.memories.memories.get(memory.memory_id)
    return stored is not None and purge_digest_of(stored) == purge_digest_of(memory)


def _restore_memory(memory: Memory, editor: "MemoryEditor") -> None:
    before = editor.memories.memories.get(memory.memory_id)
    if before is not None and before.is_stored_as(memory):
        return
    restored = editor.put_unchanged(msgspec.structs.replace(memory, revision=editor.transition.revision))
    event_type = EventType.MEMORY_CREATED if before is None else EventType.MEMORY_UPDATED
    editor.emit_memory(event_type, restored, EventCause.RESTORE, before)


def _restore_links(links: dict[str, MemoryLink], wanted: dict[str, Memory], editor: "MemoryEditor") -> None:
    stored = {link.key: link for memory_id in wanted for link in editor.memories.links_of(memory_id)}
    for key in sorted(stored.keys() - links.keys()):
        editor.drop_link(stored[key])
        editor.transition.emit(EventType.MEMORIES_UNLINKED, EventCause.RESTORE, LinkSubject(stored[key]), stored[key])
    for key, link in sorted(links.items()):
        if key not in stored or stored[key].strength != link.strength:
            editor.put_link(msgspec.structs.replace(link, revision=editor.transition.revision), EventCause.RESTORE)


def _restore_embeddings(image: Records, wanted: dict[str, Memory], editor: "MemoryEditor") -> None:
    embeddings = {embedding.memory_id: embedding for embedding in image["embedding"]}
    for memory_id in wanted:
        embedding = embeddings.get(memory_id)
        if embedding is None:
            editor.drop_embedding(memory_id)
        elif editor.memories.embeddings.get(memory_id) != embedding:
            editor.put_embedding(embedding)


def _restore_versions(image: Records, wanted: dict[str, Memory], blocked: set[bytes], editor: "MemoryEditor") -> None:
    for memory_id in wanted:
        editor.drop_versions(memory_id)
    for version in image["version"]:
        if version.memory.memory_id in wanted and purge_digest_of(version.memory) not in blocked:
            editor.put_version(version)
