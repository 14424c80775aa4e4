"""Memories: long-term records with their provenance, times and confidence."""

import enum
import hashlib
from collections.abc import Iterator
from operator import attrgetter
from typing import ClassVar

import msgspec

from memoryd_server.domain.limit import IMPORTANCE_DEFAULT
from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.domain.memories.memory_link import MemoryLinkDraft
from memoryd_server.domain.validation import size_bytes
from memoryd_server.domain.values.deadline import earliest
from memoryd_server.domain.values.record_filter import KindCondition, RecordFilter, RecordShape, Test, at_least, one_of

CONFIDENCE_AT_FIRST = 0.5


class MemoryType(enum.IntEnum):
    """The cognitive function of a memory. The numbers are those of the contract and are stored: never renumber."""

    SEMANTIC = 1
    EPISODIC = 2
    PROCEDURAL = 3
    WORKING = 4


class MemoryStatus(enum.IntEnum):
    """State of a memory's life cycle. The numbers are those of the contract and are stored: never renumber."""

    ACTIVE = 1
    ARCHIVED = 2
    SUPERSEDED = 3


class Provenance(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The source from which a memory was learned; fields are stored in this order.

    ``position`` orders memories within the conversation; those with equal positions are in the order of their creation.
    ``message_number`` is that of the message that the memory was made of, 0 for none.
    """

    conversation_id: str = ""
    document_id: str = ""
    learning_context: str = ""
    position: int = 0
    message_number: int = 0


class Confidence(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The confidence of a memory since ``time`` (ns since the Unix epoch): from 0 to 1."""

    time: int
    value: float


class MemoryCondition(KindCondition, frozen=True):
    """Conditions on memories; see ``MemoryCondition`` of the contract.

    ``min_salience`` is not among the tests: the salience of a memory depends on its links and on the time, too.
    """

    types: frozenset[MemoryType] = frozenset()
    statuses: frozenset[MemoryStatus] = frozenset()
    project_ids: frozenset[str] = frozenset()
    document_ids: frozenset[str] = frozenset()
    occur_start: int | None = None
    occur_end: int | None = None
    min_importance: float = 0.0
    min_confidence: float = 0.0
    min_salience: float = 0.0

    def tests(self) -> Iterator[Test]:
        """Yield the conditions that are set."""
        yield from one_of("type", self.types)
        yield from one_of("status", self.statuses)
        yield from one_of("project_id", self.project_ids)
        document_ids, start, end = self.document_ids, self.occur_start, self.occur_end
        if document_ids:
            yield "provenance", lambda memory: memory.provenance.document_id in document_ids
        if start is not None:
            yield "occur_time", lambda memory: memory.occur_time >= start
        if end is not None:
            yield "occur_time", lambda memory: memory.occur_time < end
        yield from at_least("importance", self.min_importance)
        if self.min_confidence:
            yield "confidences", lambda memory: memory.confidence >= self.min_confidence


MEMORY_SHAPE = RecordShape(
    "memory",
    attrgetter("memory_id"),
    conversation_of=attrgetter("provenance.conversation_id"),
    condition=MemoryCondition,
    conversation_field="provenance",
)
"""The fields of memories that a filter asks for."""


def min_salience_of(chosen: RecordFilter) -> float:
    """Return the minimum salience that a filter demands, 0 for none."""
    return chosen.condition.min_salience if isinstance(chosen.condition, MemoryCondition) else 0.0


class MemoryDraft(msgspec.Struct, frozen=True, gc=False):
    """A memory as its writer gives it.

    An empty ``memory_id`` asks for a new one. Times are nanoseconds since the Unix epoch: ``occur_time`` is None for
    now, ``expire_time`` for never. ``identity`` and ``vector`` are both set or both absent, as in ``Embedding``; if
    ``is_vector_given`` is true, the writer supplied them. ``confidence`` is from 0 to 1, None for
    that of a new memory.

    Unless ``allow_duplicates`` is true, a duplicate of the draft is reinforced instead. The engine finds similar
    memories beforehand: ``duplicate_of`` is the best duplicate, empty for none; ``contradicts``, always empty with
    ``skip_contradictions``, and ``relates_to`` have ids with strengths. The memory is linked with those of them and of
    ``derives_from`` that still exist. ``aliases`` are other wordings by which the memory is found.
    """

    content: str
    user_id: str
    type: MemoryType
    memory_id: str = ""
    project_id: str = ""
    provenance: Provenance = Provenance()
    tags: tuple[str, ...] = ()
    metadata_json: str = ""
    status: MemoryStatus = MemoryStatus.ACTIVE
    importance: float = IMPORTANCE_DEFAULT
    confidence: float | None = None
    occur_time: int | None = None
    expire_time: int | None = None
    identity: EmbeddingIdentity | None = None
    vector: bytes = b""
    is_vector_given: bool = False
    links: tuple[MemoryLinkDraft, ...] = ()
    allow_duplicates: bool = False
    skip_contradictions: bool = False
    duplicate_of: str = ""
    contradicts: tuple[tuple[str, float], ...] = ()
    relates_to: tuple[tuple[str, float], ...] = ()
    derives_from: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def owner(self) -> tuple[str, str]:
        """The user and the project that the memory will belong to."""
        return self.user_id, self.project_id

    @property
    def looks_for_kin(self) -> bool:
        """True if existing memories matter for the creation: as its duplicates, or because it contradicts them."""
        return not (self.allow_duplicates and self.skip_contradictions)


class Memory(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One long-term record. Times are nanoseconds since the Unix epoch; fields are stored in this order.

    ``sequence`` orders the agent's memories: a newer memory has a greater one. ``occur_time`` is when the event
    happened that the memory is about. ``confidences`` has the last confidences, the oldest first. ``last_access_time``
    is the last recall, at first the creation. While the memory is forgotten, ``forget_time`` is when that happened and
    ``purge_time`` when it will be removed; otherwise both are None. ``archive_time`` is when the salience falls below
    the threshold, as computed when the memory was last put; links that were removed since do not make it earlier.
    """

    kept_when_erased: ClassVar = ("memory_id", "confidences")

    memory_id: str
    sequence: int
    type: MemoryType
    content: str
    user_id: str
    project_id: str
    provenance: Provenance
    tags: tuple[str, ...]
    metadata_json: str
    importance: float
    create_time: int
    update_time: int
    occur_time: int
    revision: int
    size_bytes: int
    confidences: tuple[Confidence, ...]
    status: MemoryStatus = MemoryStatus.ACTIVE
    last_access_time: int = 0
    access_count: int = 0
    reinforce_count: int = 0
    reinforce_time: int | None = None
    expire_time: int | None = None
    forget_time: int | None = None
    purge_time: int | None = None
    archive_time: int | None = None
    aliases: tuple[str, ...] = ()

    @property
    def access_id(self) -> str:
        """The id for which recalls are counted."""
        return self.memory_id

    @property
    def owner(self) -> tuple[str, str]:
        """The user and the project of the memory. Memories of different owners never affect each other."""
        return self.user_id, self.project_id

    @property
    def confidence(self) -> float:
        """The current confidence, from 0 to 1."""
        return self.confidences[-1].value

    @property
    def is_forgotten(self) -> bool:
        """True if the memory is forgotten: it can be restored until its purge time."""
        return self.forget_time is not None

    @property
    def end_time(self) -> int | None:
        """The time at which the memory is removed, None for never."""
        return earliest(self.expire_time, self.purge_time)

    @property
    def deadline(self) -> int | None:
        """The time at which the memory must be archived or removed, None for never."""
        fades = self.status is MemoryStatus.ACTIVE and not self.is_forgotten
        return earliest(self.expire_time, self.purge_time, self.archive_time if fades else None)

    def is_live(self, now: int) -> bool:
        """Return True if the memory has not ended at ``now``, even if it is forgotten."""
        end_time = self.end_time
        return end_time is None or now < end_time

    def without_content(self) -> "Memory":
        """Return the memory without what its writer wrote: with its ids, times, numbers and states."""
        provenance = msgspec.structs.replace(self.provenance, learning_context="")
        return msgspec.structs.replace(
            self, content="", aliases=(), tags=(), metadata_json="", provenance=provenance, size_bytes=0
        )

    def accessed(self, count: int, last_time: int) -> "Memory":
        """Return the memory after further recalls, the last of them at ``last_time``."""
        last_time = max(self.last_access_time, last_time)
        return msgspec.structs.replace(self, access_count=self.access_count + count, last_access_time=last_time)

    def is_stored_as(self, other: "Memory") -> bool:
        """Return True if both have the same content and state, whatever their revisions and recalls."""
        return self == msgspec.structs.replace(
            other,
            revision=self.revision,
            sequence=self.sequence,
            last_access_time=self.last_access_time,
            access_count=self.access_count,
            archive_time=self.archive_time,
        )


class MemoryVersion(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A memory as it was until ``end_time``, kept until ``drop_time`` (ns since the Unix epoch).

    ``end_time`` identifies it among the versions of its memory; the revision cannot, since a restored memory may have
    revisions of another agent. Fields are stored in this order.
    """

    memory: Memory
    end_time: int
    drop_time: int

    @property
    def size_bytes(self) -> int:
        """Bytes that the version counts against the storage limit."""
        return self.memory.size_bytes


class Purge(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The record of a purged memory. Fields are stored in this order.

    ``digests`` block contents: none if that was not requested, otherwise one for each purge of a memory with this
    id. If ``is_erased`` is true, the journal no longer has the content either. ``revision`` is the agent's after the
    purge: later events with this id are about another memory.
    """

    memory_id: str
    time: int
    digests: tuple[bytes, ...] = ()
    is_erased: bool = False
    revision: int = 0


def purge_digest_of(memory: Memory | MemoryDraft) -> bytes:
    """Return the SHA-256 of a memory's owner and content, by which a purged content is blocked."""
    return hashlib.sha256("\0".join((*memory.owner, memory.content)).encode()).digest()


def size_of(memory: Memory | MemoryDraft) -> int:
    """Return the bytes that a memory counts against the storage limit: its texts in UTF-8."""
    provenance = memory.provenance
    origins = (provenance.conversation_id, provenance.document_id, provenance.learning_context)
    texts = (memory.content, memory.user_id, memory.project_id, memory.metadata_json, *origins)
    return sum(map(size_bytes, (*texts, *memory.tags, *memory.aliases)))


def memory_of(draft: MemoryDraft, memory_id: str, sequence: int, revision: int, now: int) -> Memory:
    """Return the memory that a draft becomes."""
    return Memory(
        memory_id,
        sequence,
        draft.type,
        draft.content,
        draft.user_id,
        draft.project_id,
        draft.provenance,
        draft.tags,
        draft.metadata_json,
        draft.importance,
        now,
        now,
        now if draft.occur_time is None else draft.occur_time,
        revision,
        size_of(draft),
        (Confidence(now, CONFIDENCE_AT_FIRST if draft.confidence is None else draft.confidence),),
        status=draft.status,
        last_access_time=now,
        expire_time=draft.expire_time,
        aliases=draft.aliases,
    )
