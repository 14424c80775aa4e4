"""What a memory is: a long-term record, with where it was learned, how it changed with time, and its vector."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from memoryd.model.entry import metadata_from
from memoryd.model.enum_word import EnumWords
from memoryd.model.moment import datetime_from, datetime_in
from memoryd.v1 import memory_pb2


class LongTermMemoryType(StrEnum):
    """What a memory is by its cognitive function: facts, what happened, how to do things, the context of a session."""

    UNSPECIFIED = "unspecified"
    SEMANTIC = "semantic"
    EPISODIC = "episodic"
    PROCEDURAL = "procedural"
    WORKING = "working"


class MemoryStatus(StrEnum):
    """Where a memory is in its life. Archived and superseded ones are recalled on request only."""

    UNSPECIFIED = "unspecified"
    ACTIVE = "active"
    ARCHIVED = "archived"
    SUPERSEDED = "superseded"


LONG_TERM_MEMORY_TYPE = EnumWords(memory_pb2.LongTermMemoryType, "LONG_TERM_MEMORY_TYPE")
MEMORY_STATUS = EnumWords(memory_pb2.MemoryStatus, "MEMORY_STATUS")


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a memory was learned: from a conversation, from a document, or by being told.

    Ids are at most 256 bytes, ``learning_context`` says how it was learned in at most 1,024. ``position`` is the place
    in the conversation, such as the number of the turn; equal ones are in the order of their creation.
    """

    conversation_id: str = ""
    document_id: str = ""
    learning_context: str = ""
    position: int = 0

    @classmethod
    def from_conversation(cls, conversation_id: str, learning_context: str = "", *, position: int = 0) -> Self:
        """Answer the provenance of what was learned in a conversation."""
        return cls(conversation_id=conversation_id, learning_context=learning_context, position=position)

    @classmethod
    def from_document(cls, document_id: str, learning_context: str = "") -> Self:
        """Answer the provenance of what was learned from a document."""
        return cls(document_id=document_id, learning_context=learning_context)

    @classmethod
    def explicit(cls, learning_context: str) -> Self:
        """Answer the provenance of what somebody asked to be remembered."""
        return cls(learning_context=learning_context)


@dataclass(frozen=True, slots=True)
class Embedding:
    """What a text means, as 1 to 4,096 finite numbers; compared with those of the same model, version and size only."""

    vector: tuple[float, ...]
    model: str = ""
    version: str = ""

    @classmethod
    def of(cls, numbers: Iterable[float], *, model: str = "", version: str = "") -> Self:
        """Answer the embedding of any numbers, such as a list or a NumPy array of one dimension."""
        return cls(tuple(float(number) for number in numbers), model, version)


@dataclass(frozen=True, slots=True)
class Temporal:
    """How a memory changed with time. Times are in UTC.

    ``occur_time`` is when what it tells happened. ``confidence_trajectory`` is how sure it was, from 0 to 1, beginning
    at 0.5, the last 100. ``reinforce_time`` is None when it never was; ``expire_time`` when it does not end;
    ``forget_time``, and ``purge_time`` until which it can be restored, unless it is forgotten.
    """

    create_time: datetime
    update_time: datetime
    occur_time: datetime
    last_access_time: datetime
    access_count: int
    reinforce_time: datetime | None
    reinforce_count: int
    confidence_trajectory: tuple[float, ...]
    expire_time: datetime | None
    forget_time: datetime | None
    purge_time: datetime | None


@dataclass(frozen=True, slots=True)
class Memory:
    """One long-term record.

    ``user_id`` is whom it is about, or who told it. ``importance`` is what its writer gave it, ``current_salience`` how
    much it matters at the moment of the answer, both from 0 to 1. ``linked_memory_ids`` are those at the other ends of
    its links. ``embedding`` is None unless it was asked for and there is one. In events there are neither salience nor
    linked ids, and without values neither content nor metadata.
    """

    memory_id: str
    agent_id: str
    type: LongTermMemoryType
    content: str
    user_id: str
    project_id: str
    status: MemoryStatus
    provenance: Provenance
    temporal: Temporal
    importance: float
    current_salience: float
    linked_memory_ids: tuple[str, ...]
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    embedding: Embedding | None
    revision: int


def memory_from(message: memory_pb2.Memory) -> Memory:
    """Answer the memory of a message."""
    return Memory(
        memory_id=message.memory_id,
        agent_id=message.agent_id,
        type=LONG_TERM_MEMORY_TYPE.word(LongTermMemoryType, message.type),
        content=message.content,
        user_id=message.user_id,
        project_id=message.project_id,
        status=MEMORY_STATUS.word(MemoryStatus, message.status),
        provenance=_provenance_from(message.provenance),
        temporal=_temporal_from(message.temporal),
        importance=message.importance,
        current_salience=message.current_salience,
        linked_memory_ids=tuple(message.linked_memory_ids),
        tags=tuple(message.tags),
        metadata=metadata_from(message.metadata),
        embedding=_embedding_from(message.embedding) if message.HasField("embedding") else None,
        revision=message.revision,
    )


def embedding_message(embedding: Embedding | Iterable[float] | None) -> memory_pb2.Embedding | None:
    """Answer the vector as a message. Raises TypeError for what are no numbers."""
    if embedding is None:
        return None
    given = embedding if isinstance(embedding, Embedding) else Embedding.of(embedding)
    return memory_pb2.Embedding(vector=given.vector, model=given.model, version=given.version)


def provenance_message(provenance: Provenance | None) -> memory_pb2.Provenance | None:
    """Answer where something was learned as a message."""
    if provenance is None:
        return None
    return memory_pb2.Provenance(
        conversation_id=provenance.conversation_id,
        document_id=provenance.document_id,
        learning_context=provenance.learning_context,
        position=provenance.position,
    )


def _provenance_from(message: memory_pb2.Provenance) -> Provenance:
    return Provenance(message.conversation_id, message.document_id, message.learning_context, message.position)


def _temporal_from(message: memory_pb2.Temporal) -> Temporal:
    return Temporal(
        create_time=datetime_from(message.create_time),
        update_time=datetime_from(message.update_time),
        occur_time=datetime_from(message.occur_time),
        last_access_time=datetime_from(message.last_access_time),
        access_count=message.access_count,
        reinforce_time=datetime_in(message, "reinforce_time"),
        reinforce_count=message.reinforce_count,
        confidence_trajectory=tuple(message.confidence_trajectory),
        expire_time=datetime_in(message, "expire_time"),
        forget_time=datetime_in(message, "forget_time"),
        purge_time=datetime_in(message, "purge_time"),
    )


def _embedding_from(message: memory_pb2.Embedding) -> Embedding:
    return Embedding(tuple(message.vector), message.model, message.version)
