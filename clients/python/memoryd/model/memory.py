"""Memories: long-term records, with their provenance, times and vectors."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from memoryd.model.entry import metadata_from
from memoryd.model.enum_word import EnumWords
from memoryd.model.moment import datetime_from, datetime_in
from memoryd.v1 import memory_pb2


class MemoryType(StrEnum):
    """The cognitive function of a memory: facts, what happened, how to do things, or the context of a session."""

    UNSPECIFIED = "unspecified"
    SEMANTIC = "semantic"
    EPISODIC = "episodic"
    PROCEDURAL = "procedural"
    WORKING = "working"


class MemoryStatus(StrEnum):
    """The state of a memory. Archived and superseded ones are recalled on request only."""

    UNSPECIFIED = "unspecified"
    ACTIVE = "active"
    ARCHIVED = "archived"
    SUPERSEDED = "superseded"


MEMORY_TYPE = EnumWords(memory_pb2.MemoryType, "MEMORY_TYPE")
MEMORY_STATUS = EnumWords(memory_pb2.MemoryStatus, "MEMORY_STATUS")


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of a memory: a conversation, a document, or a person's request.

    Ids are at most 256 bytes. ``learning_context`` says in at most 1,024 bytes how it was learned. ``position`` is the
    memory's place in the conversation, such as the number of the turn; memories of equal position are in the order of
    their creation. ``message_number`` is that of the message that the memory was made of, 0 for none: a context with
    this message leaves the memory out.
    """

    conversation_id: str = ""
    document_id: str = ""
    learning_context: str = ""
    position: int = 0
    message_number: int = 0

    @classmethod
    def from_conversation(
        cls, conversation_id: str, learning_context: str = "", *, position: int = 0, message_number: int = 0
    ) -> Self:
        """Return the provenance of a memory that was learned in a conversation, or made of one message of it."""
        return cls(conversation_id, learning_context=learning_context, position=position, message_number=message_number)

    @classmethod
    def from_document(cls, document_id: str, learning_context: str = "") -> Self:
        """Return the provenance of a memory that was learned from a document."""
        return cls(document_id=document_id, learning_context=learning_context)

    @classmethod
    def explicit(cls, learning_context: str) -> Self:
        """Return the provenance of a memory that a person asked the agent to keep."""
        return cls(learning_context=learning_context)


@dataclass(frozen=True, slots=True)
class Embedding:
    """The vector of a text, 1 to 4,096 finite numbers. Only vectors of one model, version and size are compared.

    Its repr has the size instead of the numbers, which would fill a screen.
    """

    vector: tuple[float, ...]
    model: str = ""
    version: str = ""

    def __repr__(self) -> str:
        return f"Embedding(<{len(self.vector)} numbers>, model={self.model!r}, version={self.version!r})"

    @classmethod
    def of(cls, numbers: Iterable[float], *, model: str = "", version: str = "") -> Self:
        """Return the embedding of any numbers, such as a list or a NumPy array of one dimension."""
        return cls(tuple(float(number) for number in numbers), model, version)


@dataclass(frozen=True, slots=True)
class MemoryConfidence:
    """A confidence, from 0 to 1, that a memory had since ``start_time``."""

    start_time: datetime
    confidence: float


@dataclass(frozen=True, slots=True)
class MentionedTime:
    """A time that a content names by the words ``text``: from ``start_time`` until before ``end_time``, in UTC.

    It is relative to the memory's ``occur_time``.
    """

    text: str
    start_time: datetime
    end_time: datetime


@dataclass(frozen=True, slots=True)
class Memory:
    """One long-term record. Times are in UTC.

    ``user_id`` is the user whom it is about, or who said it. ``importance`` is how much it matters by its writer's
    judgment, ``salience`` how much it matters at the time of the response, ``confidence`` how certain it is, all from 0
    to 1. ``occur_time`` is the time of the event that it states. ``link_count`` is the number of its links.
    ``embedding`` is None unless it was requested and exists. ``reinforce_time`` is None if it was never reinforced,
    ``expire_time`` if it does not expire. ``forget_time``, and ``purge_time`` until which it can be restored, are None
    unless it is forgotten. ``confidence_history`` has the last 100 confidences, the oldest first, if it was requested.
    In events there are neither salience nor links, and in those without content neither content nor aliases nor tags
    nor metadata.
    """

    memory_id: str
    agent_id: str
    revision: int
    create_time: datetime
    update_time: datetime
    expire_time: datetime | None
    user_id: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    content: str
    type: MemoryType
    status: MemoryStatus
    project_id: str
    provenance: Provenance
    importance: float
    occur_time: datetime
    embedding: Embedding | None
    confidence: float
    salience: float
    link_count: int
    last_access_time: datetime
    access_count: int
    reinforce_time: datetime | None
    reinforce_count: int
    forget_time: datetime | None
    purge_time: datetime | None
    confidence_history: tuple[MemoryConfidence, ...] = ()


def memory_from(message: memory_pb2.Memory) -> Memory:
    """Return the memory of a message."""
    return Memory(
        memory_id=message.memory_id,
        agent_id=message.agent_id,
        revision=message.revision,
        create_time=datetime_from(message.create_time),
        update_time=datetime_from(message.update_time),
        expire_time=datetime_in(message, "expire_time"),
        user_id=message.user_id,
        aliases=tuple(message.aliases),
        tags=tuple(message.tags),
        metadata=metadata_from(message.metadata),
        content=message.content,
        type=MEMORY_TYPE.word(MemoryType, message.type),
        status=MEMORY_STATUS.word(MemoryStatus, message.status),
        project_id=message.project_id,
        provenance=provenance_from(message.provenance),
        importance=message.importance,
        occur_time=datetime_from(message.occur_time),
        embedding=_embedding_from(message.embedding) if message.HasField("embedding") else None,
        confidence=message.confidence,
        salience=message.salience,
        link_count=message.link_count,
        last_access_time=datetime_from(message.last_access_time),
        access_count=message.access_count,
        reinforce_time=datetime_in(message, "reinforce_time"),
        reinforce_count=message.reinforce_count,
        forget_time=datetime_in(message, "forget_time"),
        purge_time=datetime_in(message, "purge_time"),
        confidence_history=tuple(map(_confidence_from, message.confidence_history)),
    )


def memory_in(message: Any) -> Memory | None:
    """Return the memory of a response, None if it has none."""
    return memory_from(message.memory) if message.HasField("memory") else None


def embedding_message(embedding: Embedding | Iterable[float] | None) -> memory_pb2.Embedding | None:
    """Return the vector as a message. Raises TypeError if it is not made of numbers."""
    if embedding is None:
        return None
    given = embedding if isinstance(embedding, Embedding) else Embedding.of(embedding)
    return memory_pb2.Embedding(vector=given.vector, model=given.model, version=given.version)


def provenance_message(provenance: Provenance | None) -> memory_pb2.Provenance | None:
    """Return the provenance as a message."""
    if provenance is None:
        return None
    return memory_pb2.Provenance(
        conversation_id=provenance.conversation_id,
        document_id=provenance.document_id,
        learning_context=provenance.learning_context,
        position=provenance.position,
        message_number=provenance.message_number,
    )


def provenance_from(message: memory_pb2.Provenance) -> Provenance:
    """Return the provenance of a message."""
    return Provenance(
        message.conversation_id,
        message.document_id,
        message.learning_context,
        message.position,
        message.message_number,
    )


def mentioned_times_from(messages: Iterable[memory_pb2.MentionedTime]) -> tuple[MentionedTime, ...]:
    """Return the times that a content names."""
    return tuple(
        MentionedTime(each.text, datetime_from(each.start_time), datetime_from(each.end_time)) for each in messages
    )


def _confidence_from(message: memory_pb2.MemoryConfidence) -> MemoryConfidence:
    return MemoryConfidence(datetime_from(message.start_time), message.confidence)


def _embedding_from(message: memory_pb2.Embedding) -> Embedding:
    return Embedding(tuple(message.vector), message.model, message.version)
