"""How an agent's memories are put back to an image."""

import msgspec

from memoryd_server.domain.agent.command import AgentImage
from memoryd_server.domain.agent.event import EventCause, EventType
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.memories.memory import Memory, Purge, purge_digest_of
from memoryd_server.domain.memories.memory_transition import (
    drop_embedding,
    drop_link,
    drop_versions,
    put_as_it_is,
    put_embedding,
    put_link,
    put_purge,
    put_version,
    remove_memory,
    tell_memory,
)


def restore_memories(image: AgentImage, transition: Transition) -> None:
    """Replace the memories by those of an image, telling each difference.

    What was purged since so that it stays out does not come back, and what was purged before stays out.
    """
    kept_out = _purged_since(image, transition)
    for purge in image.purges:
        _restore_purge(purge, transition)
    wanted = {
        memory.memory_id: memory
        for memory in image.memories
        if memory.is_live(transition.now) and (purge_digest_of(memory) not in kept_out or _is_there(memory, transition))
    }
    for memory in list(transition.memories.memories.values()):
        if memory.memory_id not in wanted:
            remove_memory(transition, memory, EventCause.RESTORE)
    for memory in sorted(wanted.values(), key=lambda each: each.sequence):
        _restore_memory(memory, transition)
    _restore_links(image, wanted, transition)
    _restore_embeddings(image, wanted, transition)
    _restore_versions(image, wanted, kept_out, transition)


def _purged_since(image: AgentImage, transition: Transition) -> set[bytes]:
    """What is kept out, save by purges that the image knows: those did not touch what it holds."""
    known = {(purge.memory_id, digest) for purge in image.purges for digest in purge.digests}
    kept_out = transition.memories.kept_out.items()
    return {digest for digest, ids in kept_out if any((memory_id, digest) not in known for memory_id in ids)}


def _restore_purge(purge: Purge, transition: Transition) -> None:
    later = transition.memories.purges.get(purge.memory_id)
    if later is None and purge.digests:
        # This journal is another one, or tells no more of it already.
        put_purge(transition, msgspec.structs.replace(purge, is_erased=True))
    elif later is not None and not set(purge.digests) <= set(later.digests):
        digests = tuple(dict.fromkeys((*purge.digests, *later.digests)))
        put_purge(transition, msgspec.structs.replace(later, digests=digests))


def _is_there(memory: Memory, transition: Transition) -> bool:
    stored = transition.memories.memories.get(memory.memory_id)
    return stored is not None and purge_digest_of(stored) == purge_digest_of(memory)


def _restore_memory(memory: Memory, transition: Transition) -> None:
    before = transition.memories.memories.get(memory.memory_id)
    if before is not None and before.is_stored_as(memory):
        return
    restored = put_as_it_is(transition, msgspec.structs.replace(memory, revision=transition.revision))
    event_type = EventType.MEMORY_CREATED if before is None else EventType.MEMORY_UPDATED
    tell_memory(transition, event_type, restored, EventCause.RESTORE)


def _restore_links(image: AgentImage, wanted: dict[str, Memory], transition: Transition) -> None:
    links = {link.key: link for link in image.links if link.from_id in wanted and link.to_id in wanted}
    stored = {link.key: link for memory_id in wanted for link in transition.memories.links_of(memory_id)}
    for key in sorted(stored.keys() - links.keys()):
        drop_link(transition, stored[key])
        transition.tell(
            EventType.MEMORIES_UNLINKED, EventCause.RESTORE, memory_id=stored[key].from_id, link=stored[key]
        )
    for key, link in sorted(links.items()):
        if key not in stored or stored[key].strength != link.strength:
            put_link(transition, msgspec.structs.replace(link, revision=transition.revision), EventCause.RESTORE)


def _restore_embeddings(image: AgentImage, wanted: dict[str, Memory], transition: Transition) -> None:
    embeddings = {embedding.memory_id: embedding for embedding in image.embeddings}
    for memory_id in wanted:
        embedding = embeddings.get(memory_id)
        if embedding is None:
            drop_embedding(transition, memory_id)
        elif transition.memories.embeddings.get(memory_id) != embedding:
            put_embedding(transition, embedding)


def _restore_versions(
    image: AgentImage, wanted: dict[str, Memory], kept_out: set[bytes], transition: Transition
) -> None:
    for memory_id in wanted:
        drop_versions(transition, memory_id)
    for version in image.versions:
        if version.memory.memory_id in wanted and purge_digest_of(version.memory) not in kept_out:
            put_version(transition, version)
