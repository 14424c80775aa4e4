"""Memories: long-term records, each with where it came from, when it happened and how sure it is."""

import enum
import hashlib

import msgspec

from memoryd_server.domain.limit import IMPORTANCE_DEFAULT
from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.domain.memories.memory_link import DraftLink
from memoryd_server.domain.validation import size_bytes
from memoryd_server.domain.values.deadline import earliest

CONFIDENCE_AT_FIRST = 0.5


class LongTermMemoryType(enum.IntEnum):
    """What a memory is by its cognitive function. The numbers are those of the contract and are stored."""

    SEMANTIC = 1
    EPISODIC = 2
    PROCEDURAL = 3
    WORKING = 4


class MemoryStatus(enum.IntEnum):
    """Where a memory is in its life. The numbers are those of the contract and are stored: never renumber."""

    ACTIVE = 1
    ARCHIVED = 2
    SUPERSEDED = 3


class Provenance(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Where a memory was learned; stored in this order.

    ``position`` is its place in the conversation, the lesser first; equal ones are in the order of their creation.
    """

    conversation_id: str = ""
    document_id: str = ""
    learning_context: str = ""
    position: int = 0


class Confidence(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """How sure a memory became at a time (ns since the Unix epoch): from 0 to 1."""

    time: int
    value: float


class MemoryDraft(msgspec.Struct, frozen=True, gc=False):
    """What a writer gives of a memory.

    An empty ``memory_id`` asks for a new one. Times are nanoseconds since the Unix epoch: ``occur_time`` is None for
    now, ``expire_time`` for never. ``identity`` and ``vector`` are both there or not, as ``Embedding`` has them, and
    ``is_vector_given`` tells who made them.

    ``looks_for_kin`` is whether a duplicate is to reinforce what is there. What resembles the draft was found before:
    ``duplicate_of`` is the best duplicate, if any, ``contradicts`` and ``relates_to`` have ids with strengths. Of these
    and of ``derives_from`` it is linked with those that are there.
    """

    content: str
    user_id: str
    type: LongTermMemoryType
    memory_id: str = ""
    project_id: str = ""
    provenance: Provenance = Provenance()
    tags: tuple[str, ...] = ()
    metadata_json: str = ""
    importance: float = IMPORTANCE_DEFAULT
    occur_time: int | None = None
    expire_time: int | None = None
    identity: EmbeddingIdentity | None = None
    vector: bytes = b""
    is_vector_given: bool = False
    links: tuple[DraftLink, ...] = ()
    looks_for_kin: bool = True
    duplicate_of: str = ""
    contradicts: tuple[tuple[str, float], ...] = ()
    relates_to: tuple[tuple[str, float], ...] = ()
    derives_from: tuple[str, ...] = ()

    @property
    def owner(self) -> tuple[str, str]:
        """Whose the memory will be, as ``Memory`` has it."""
        return self.user_id, self.project_id


class Memory(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One long-term record. Times are nanoseconds since the Unix epoch; fields are stored in this order.

    ``sequence`` is its place among the agent's memories: a newer one has a greater one. ``occur_time`` is when what it
    tells happened. ``confidences`` has the last ones, the oldest first. ``last_access_time`` is when it was last
    recalled, the creation at first. ``forget_time`` and ``purge_time`` are set while it is forgotten: since when, and
    when it goes for good. ``archive_time`` is when its salience will be too low unless something happens before, as was
    reckoned when the memory was last put: links that went since do not bring it forward.
    """

    memory_id: str
    sequence: int
    type: LongTermMemoryType
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

    @property
    def access_id(self) -> str:
        """What recalls are counted for."""
        return self.memory_id

    @property
    def owner(self) -> tuple[str, str]:
        """Whose it is: memories of another user or project never touch it."""
        return self.user_id, self.project_id

    @property
    def confidence(self) -> float:
        """How sure it is by now."""
        return self.confidences[-1].value

    @property
    def is_forgotten(self) -> bool:
        """Whether it was forgotten, and waits to be restored or to go."""
        return self.forget_time is not None

    @property
    def end_time(self) -> int | None:
        """When it goes for good, None for never."""
        return earliest(self.expire_time, self.purge_time)

    @property
    def deadline(self) -> int | None:
        """When something is to be done about it: it is archived, or it goes; None for never."""
        fades = self.status is MemoryStatus.ACTIVE and not self.is_forgotten
        return earliest(self.end_time, self.archive_time if fades else None)

    def is_live(self, now: int) -> bool:
        """Whether the memory may be served at this time, be it as a forgotten one."""
        end_time = self.end_time
        return end_time is None or now < end_time

    def is_stored_as(self, other: "Memory") -> bool:
        """Whether both tell the same, whichever revision wrote them and however often they were recalled."""
        return self == msgspec.structs.replace(
            other,
            revision=self.revision,
            sequence=self.sequence,
            last_access_time=self.last_access_time,
            access_count=self.access_count,
            archive_time=self.archive_time,
        )


class MemoryVersion(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a memory was until ``end_time``, kept until ``drop_time`` (ns since the Unix epoch).

    ``end_time`` names it among the versions of its memory, since the revisions of a restored one may be those of
    another agent. Stored in this order.
    """

    memory: Memory
    end_time: int
    drop_time: int

    @property
    def size_bytes(self) -> int:
        """What it counts against the storage limit."""
        return self.memory.size_bytes


class Purge(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A memory that was purged. Stored in this order.

    ``digests`` keep its content from coming back: there is none when that was not asked for, and another one for each
    time that a memory of this id was purged. ``is_erased`` is whether the journal no longer tells of the content
    either. ``revision`` is the agent's after it: what the journal tells of this id later is of another memory.
    """

    memory_id: str
    time: int
    digests: tuple[bytes, ...] = ()
    is_erased: bool = False
    revision: int = 0


def digest_of(content: str) -> bytes:
    """What tells whether two contents are the same: the SHA-256."""
    return hashlib.sha256(content.encode()).digest()


def purge_digest_of(memory: Memory | MemoryDraft) -> bytes:
    """What tells whether a content of the same owner was purged: the SHA-256 of the owner and the content."""
    return digest_of("\0".join((*memory.owner, memory.content)))


def size_of(memory: Memory | MemoryDraft) -> int:
    """What a memory counts against the storage limit: its texts, in bytes of UTF-8."""
    provenance = memory.provenance
    origins = (provenance.conversation_id, provenance.document_id, provenance.learning_context)
    texts = (memory.content, memory.user_id, memory.project_id, memory.metadata_json, *origins, *memory.tags)
    return sum(map(size_bytes, texts))


def memory_of(draft: MemoryDraft, memory_id: str, sequence: int, revision: int, now: int) -> Memory:
    """The memory that a draft becomes."""
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
        (Confidence(now, CONFIDENCE_AT_FIRST),),
        last_access_time=now,
        expire_time=draft.expire_time,
    )
