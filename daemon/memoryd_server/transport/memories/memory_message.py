"""Memories, between the domain and the contract."""

import array
import math
import sys
from collections.abc import Callable, Iterable

from google.protobuf import field_mask_pb2, struct_pb2

from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1 import memory_pb2
from memoryd_server.domain import limit, validation
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import LINKS_PER_DRAFT_MAX
from memoryd_server.domain.memories.changes.memory_change import MemoryPatch
from memoryd_server.domain.memories.classification import type_of
from memoryd_server.domain.memories.embedding import Embedding, EmbeddingIdentity
from memoryd_server.domain.memories.memory import Memory, MemoryDraft, MemoryStatus, MemoryType, Provenance
from memoryd_server.domain.memories.memory_link import STRENGTH_DEFAULT, LinkType, MemoryLink, MemoryLinkDraft
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.engine.memories.long_term_memories import KnownMemory
from memoryd_server.ports.retrieval import MentionedTime
from memoryd_server.transport.fields.expiry import expire_time_of
from memoryd_server.transport.fields.importance import importance_of
from memoryd_server.transport.fields.json_value import json_text_of, write_json
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.timestamp import moment_of, timestamp
from memoryd_server.transport.fields.update_mask import paths_of
from memoryd_server.transport.fields.user_id import user_id_of


def committed_memory_message(agent_id: str, memory: Memory) -> memory_pb2.Memory:
    """Encode a memory as it was committed, without its salience, accesses and links, for events."""
    message = memory_pb2.Memory(
        memory_id=memory.memory_id,
        agent_id=agent_id,
        revision=memory.revision,
        create_time=timestamp(memory.create_time),
        update_time=timestamp(memory.update_time),
        user_id=memory.user_id,
        tags=memory.tags,
        aliases=memory.aliases,
        content=memory.content,
        type=int(memory.type),  # type: ignore[arg-type]
        status=int(memory.status),  # type: ignore[arg-type]
        project_id=memory.project_id,
        importance=memory.importance,
        occur_time=timestamp(memory.occur_time),
        confidence=memory.confidence,
        last_access_time=timestamp(memory.last_access_time),
        access_count=memory.access_count,
        reinforce_count=memory.reinforce_count,
    )
    for name in ("reinforce_time", "expire_time", "forget_time", "purge_time"):
        moment: int | None = getattr(memory, name)
        if moment is not None:
            getattr(message, name).CopyFrom(timestamp(moment))
    if memory.provenance != Provenance():
        message.provenance.CopyFrom(provenance_message(memory.provenance))
    if memory.metadata_json:
        write_json(memory.metadata_json, message.metadata)
    return message


def provenance_message(provenance: Provenance) -> memory_pb2.Provenance:
    """Encode the source of a memory."""
    return memory_pb2.Provenance(
        conversation_id=provenance.conversation_id,
        document_id=provenance.document_id,
        learning_context=provenance.learning_context,
        position=provenance.position,
        message_number=provenance.message_number,
    )


def memory_message(agent_id: str, known: KnownMemory, *, include_history: bool = False) -> memory_pb2.Memory:
    """Encode a memory, for responses."""
    message = committed_memory_message(agent_id, known.memory)
    message.salience = known.salience
    message.link_count = known.link_count
    message.access_count = known.access_count
    message.last_access_time.CopyFrom(timestamp(known.last_access_time))
    if known.embedding is not None:
        message.embedding.CopyFrom(_embedding_message(known.embedding))
    if include_history:
        message.confidence_history.extend(
            memory_pb2.MemoryConfidence(start_time=timestamp(each.time), confidence=each.value)
            for each in known.memory.confidences
        )
    return message


def mentioned_time_messages(times: Iterable[MentionedTime]) -> list[memory_pb2.MentionedTime]:
    """Encode the times that a content names."""
    return [
        memory_pb2.MentionedTime(text=each.text, start_time=timestamp(each.start), end_time=timestamp(each.end))
        for each in times
    ]


def link_message(agent_id: str, link: MemoryLink) -> memory_pb2.MemoryLink:
    """Encode a link, for responses and events."""
    return memory_pb2.MemoryLink(
        agent_id=agent_id,
        revision=link.revision,
        create_time=timestamp(link.create_time),
        update_time=timestamp(link.update_time),
        from_memory_id=link.from_id,
        to_memory_id=link.to_id,
        type=int(link.type),  # type: ignore[arg-type]
        strength=link.strength,
    )


def memory_draft_of(
    message: pb.MemoryDraft, field: str, now: int, policy: MemoryPolicy, limits: limit.Limits
) -> MemoryDraft:
    """Decode a memory to create. ``field`` is the message's path in the request. Raises InvalidField, TooLarge."""
    content = content_of(message.content, f"{field}.content", limits)
    chosen = validation.known(f"{field}.type", message.type, MemoryType) if message.type else type_of(content)
    expire_time = None
    if message.WhichOneof("expiry") is not None:
        expire_time = expire_time_of(message, now, f"{field}.")
    elif chosen is MemoryType.WORKING:
        expire_time = now + policy.working_ns
    identity, vector = None, b""
    if message.HasField("embedding"):
        identity, vector = vector_of(message.embedding, f"{field}.embedding")
    return MemoryDraft(
        content,
        user_id_of(f"{field}.user_id", message.user_id),
        chosen,
        memory_id=record_id_of(f"{field}.memory_id", message.memory_id) if message.memory_id else "",
        project_id=validation.optional_text(f"{field}.project_id", message.project_id, limit.PROJECT_ID_BYTES_MAX),
        provenance=provenance_of(message.provenance, f"{field}.provenance"),
        tags=validation.tags(f"{field}.tags", message.tags),
        aliases=_aliases_of(message, f"{field}.aliases"),
        metadata_json=metadata_json_of(message.metadata, f"{field}.metadata"),
        status=_status_of(message, f"{field}.status") if message.status else MemoryStatus.ACTIVE,
        importance=importance_of(message, f"{field}.importance"),
        occur_time=moment_of(message.occur_time, f"{field}.occur_time") if message.HasField("occur_time") else None,
        expire_time=expire_time,
        identity=identity,
        vector=vector,
        is_vector_given=identity is not None,
        links=_draft_links_of(message, f"{field}.links"),
        allow_duplicates=message.allow_duplicates,
        skip_contradictions=message.skip_contradictions,
    )


def memory_patch_of(
    message: pb.MemoryDraft, mask: field_mask_pb2.FieldMask, now: int, limits: limit.Limits
) -> tuple[MemoryPatch, tuple[EmbeddingIdentity, bytes] | None]:
    """Decode the changes of a memory, and its new vector if one is given. Raises InvalidField, TooLarge."""
    fields: dict[str, object] = {}
    vector = None
    for path in paths_of(mask, ("embedding", "expire_time", *_PATCHES)):
        if path == "embedding":
            vector = vector_of(message.embedding, "draft.embedding")
        elif path == "expire_time":
            is_set = message.WhichOneof("expiry") is not None
            fields[path] = expire_time_of(message, now, "draft.") if is_set else None
        else:
            name, read = _PATCHES[path]
            fields[name] = read(message, limits)
    return MemoryPatch(**fields), vector  # type: ignore[arg-type]


def vector_of(message: memory_pb2.Embedding, field: str) -> tuple[EmbeddingIdentity, bytes]:
    """Decode a vector and its identity. Raises InvalidField."""
    dimensions = len(message.vector)
    validation.within(f"{field}.vector", dimensions, 1, limit.EMBEDDING_DIMENSIONS_MAX, " numbers")
    numbers = array.array("f", message.vector)
    # The sum is finite only if all numbers are: a double cannot overflow by adding this many finite floats.
    if not math.isfinite(sum(numbers)):
        raise InvalidField(f"{field}.vector", "must have finite numbers only")
    model = validation.optional_text(f"{field}.model", message.model, limit.MODEL_BYTES_MAX)
    version = validation.optional_text(f"{field}.version", message.version, limit.MODEL_BYTES_MAX)
    return EmbeddingIdentity(model, version, dimensions), _little_endian(numbers).tobytes()


def strength_of(message: pb.MemoryLinkDraft | pb.LinkMemoriesRequest, field: str) -> float:
    """Return a link's strength, if it is valid. Raises InvalidField."""
    return validation.importance(field, message.strength) if message.HasField("strength") else STRENGTH_DEFAULT


def _embedding_message(embedding: Embedding) -> memory_pb2.Embedding:
    numbers = array.array("f")
    numbers.frombytes(embedding.vector)
    identity = embedding.identity
    return memory_pb2.Embedding(vector=_little_endian(numbers), model=identity.model, version=identity.version)


def _little_endian(numbers: "array.array[float]") -> "array.array[float]":
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def content_of(content: str, field: str, limits: limit.Limits) -> str:
    """Return the content of a memory, if it is valid. Raises InvalidField, TooLarge."""
    return validation.content(field, content, "memory_bytes", limits.memory_bytes)


def provenance_of(message: memory_pb2.Provenance, field: str) -> Provenance:
    """Decode the source of a memory. Raises InvalidField."""
    return Provenance(
        validation.optional_text(f"{field}.conversation_id", message.conversation_id, limit.CONVERSATION_ID_BYTES_MAX),
        validation.optional_text(f"{field}.document_id", message.document_id, limit.DOCUMENT_ID_BYTES_MAX),
        validation.optional_text(
            f"{field}.learning_context", message.learning_context, limit.LEARNING_CONTEXT_BYTES_MAX
        ),
        message.position,
        validation.within(f"{field}.message_number", message.message_number, 0, 2**63 - 1),
    )


def metadata_json_of(message: struct_pb2.Struct, field: str) -> str:
    """Return the JSON text of metadata, empty for none. Raises InvalidField, TooLarge."""
    return json_text_of(message, field, limit.METADATA_BYTES_MAX) if message.fields else ""


def _aliases_of(message: pb.MemoryDraft, field: str) -> tuple[str, ...]:
    return validation.names(field, message.aliases, limit.ALIASES_MAX, limit.ALIAS_BYTES_MAX)


def _draft_links_of(message: pb.MemoryDraft, field: str) -> tuple[MemoryLinkDraft, ...]:
    validation.within(field, len(message.links), 0, LINKS_PER_DRAFT_MAX)
    for at, each in enumerate(message.links):
        if each.to_memory_id and each.to_memory_id == message.memory_id:
            raise InvalidField(f"{field}[{at}].to_memory_id", "must be another memory")
    return tuple(
        MemoryLinkDraft(
            record_id_of(f"{field}[{at}].to_memory_id", each.to_memory_id),
            validation.known(f"{field}[{at}].type", each.type, LinkType),
            strength_of(each, f"{field}[{at}].strength"),
        )
        for at, each in enumerate(message.links)
    )


def _status_of(message: pb.MemoryDraft, field: str) -> MemoryStatus:
    return validation.known(field, message.status, MemoryStatus)


def _occur_time(message: pb.MemoryDraft, _: limit.Limits) -> int:
    if not message.HasField("occur_time"):
        raise InvalidField("draft.occur_time", "must be set")
    return moment_of(message.occur_time, "draft.occur_time")


_PATCHES: dict[str, tuple[str, Callable[[pb.MemoryDraft, limit.Limits], object]]] = {
    "content": ("content", lambda message, limits: content_of(message.content, "draft.content", limits)),
    "type": ("type", lambda message, _: validation.known("draft.type", message.type, MemoryType)),
    "status": ("status", lambda message, _: _status_of(message, "draft.status")),
    "provenance": ("provenance", lambda message, _: provenance_of(message.provenance, "draft.provenance")),
    "tags": ("tags", lambda message, _: validation.tags("draft.tags", message.tags)),
    "aliases": ("aliases", lambda message, _: _aliases_of(message, "draft.aliases")),
    "metadata": ("metadata_json", lambda message, _: metadata_json_of(message.metadata, "draft.metadata")),
    "importance": ("importance", lambda message, _: validation.importance("draft.importance", message.importance)),
    "occur_time": ("occur_time", _occur_time),
}
"""Paths of an update mask, each with the field of ``MemoryPatch`` and the function that decodes it."""
