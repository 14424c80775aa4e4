"""Memories: long-term records, each with where it came from, when it happened and how sure it is."""

import enum

import msgspec

IMPORTANCE_DEFAULT = 0.5
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


class Memory(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One long-term record. Times are nanoseconds since the Unix epoch; fields are stored in this order.

    ``sequence`` is its place among the agent's memories: a newer one has a greater one. ``occur_time`` is when what it
    tells happened. ``confidences`` has the last ones, the oldest first. ``last_access_time`` is when it was last
    recalled, the creation at first. ``forget_time`` is set while it is forgotten. ``archive_time`` is when its salience
    will be too low, and ``end_time`` when it goes for good, unless something happens before.
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
    forget_time: int | None = None
    archive_time: int | None = None
    end_time: int | None = None
