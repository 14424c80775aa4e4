"""How an agent's memories are put back to an image."""

import msgspec

from memoryd_server.domain.command import AgentImage
from memoryd_server.domain.event import EventCause, EventType
from memoryd_server.domain.memory import Memory, digest_of
from memoryd_server.domain.memory_transition import (
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
from memoryd_server.domain.transition import Transition


def restore_memories(image: AgentImage, transition: Transition) -> None:
    """Replace the memories by those of an image, telling each difference.

    What was purged so that it stays out does not come back, whether that was before the image or after it.
    """
    for purge in image.purges:
        if purge.memory_id not in transition.memories.purges:
            put_purge(transition, purge)
    kept_out = transition.memories.kept_out
    wanted = {
        memory.memory_id: memory
        for memory in image.memories
        if memory.is_live(transition.now) and digest_of(memory.content) not in kept_out
    }
    for memory in list(transition.memories.memories.values()):
        if memory.memory_id not in wanted:
            remove_memory(transition, memory, EventCause.RESTORE)
    for memory in sorted(wanted.values(), key=lambda each: each.sequence):
        _restore_memory(memory, transition)
    _restore_links(image, wanted, transition)
    _restore_embeddings(image, wanted, transition)
    _restore_versions(image, wanted, transition)


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


def _restore_versions(image: AgentImage, wanted: dict[str, Memory], transition: Transition) -> None:
    for memory_id in wanted:
        drop_versions(transition, memory_id)
    for version in image.versions:
        if version.memory.memory_id in wanted and digest_of(version.memory.content) not in transition.memories.kept_out:
            put_version(transition, version)
