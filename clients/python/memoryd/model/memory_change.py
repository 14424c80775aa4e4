"""The results of changing memories."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memoryd.model.enum_word import EnumWords
from memoryd.model.memory import LONG_TERM_MEMORY_TYPE, LongTermMemoryType
from memoryd.model.moment import datetime_from
from memoryd.v1 import long_term_memory_service_pb2 as pb


class CreationOutcome(StrEnum):
    """The outcome for a draft: a new memory, a reinforcement of the one that it duplicates, or nothing.

    ``KEPT_OUT`` means that the content was purged before, so that it must not be stored again.
    """

    UNSPECIFIED = "unspecified"
    CREATED = "created"
    REINFORCED = "reinforced"
    KEPT_OUT = "kept_out"


CREATION_OUTCOME = EnumWords(pb.CreationOutcome, "CREATION_OUTCOME")


@dataclass(frozen=True, slots=True)
class CreatedMemory:
    """The result of creating a memory.

    ``memory_id`` is the memory that was created or reinforced; empty when the draft was kept out.
    ``contradicted_memory_ids`` are the memories that the new one contradicts and was linked with. ``revision`` is the
    agent's.
    """

    outcome: CreationOutcome
    memory_id: str
    type: LongTermMemoryType
    contradicted_memory_ids: tuple[str, ...]
    revision: int


@dataclass(frozen=True, slots=True)
class UpdatedMemory:
    """The result of an update. ``updated`` is true if anything changed. ``revision`` is the agent's."""

    updated: bool
    revision: int


@dataclass(frozen=True, slots=True)
class ReinforcedMemory:
    """The result of a reinforcement. ``confidence`` is from 0 to 1. ``revision`` is the agent's."""

    confidence: float
    reinforce_count: int
    revision: int


@dataclass(frozen=True, slots=True)
class ForgottenMemory:
    """The result of forgetting a memory.

    ``changed`` is false if it was forgotten before. It can be restored until ``purge_time``. ``revision`` is the
    agent's.
    """

    changed: bool
    purge_time: datetime
    revision: int


@dataclass(frozen=True, slots=True)
class LinkedMemories:
    """The result of linking two memories.

    ``is_update`` is true if the link existed before. ``superseded`` is true if the memory at its end is now marked
    superseded. ``revision`` is the agent's.
    """

    is_update: bool
    superseded: bool
    revision: int


@dataclass(frozen=True, slots=True)
class UnlinkedMemories:
    """The result of unlinking two memories.

    ``restored`` is true if the memory at the links' end is active again, since no memory supersedes it any more.
    ``revision`` is the agent's.
    """

    links_removed: int
    restored: bool
    revision: int


@dataclass(frozen=True, slots=True)
class Reembedding:
    """The progress of embedding memories.

    ``memories_embedded`` is the number of vectors that the call made. ``model`` and ``version`` are those of the
    server's embedder.
    """

    memories_embedded: int
    memories_left: int
    model: str
    version: str


def created_memory_from(message: pb.CreatedMemory, revision: int) -> CreatedMemory:
    """Return the result of creating a memory."""
    return CreatedMemory(
        outcome=CREATION_OUTCOME.word(CreationOutcome, message.outcome),
        memory_id=message.memory_id,
        type=LONG_TERM_MEMORY_TYPE.word(LongTermMemoryType, message.type),
        contradicted_memory_ids=tuple(message.contradicted_memory_ids),
        revision=revision,
    )


def updated_memory_from(message: pb.UpdateMemoryResponse) -> UpdatedMemory:
    """Return the result of an update."""
    return UpdatedMemory(message.updated, message.revision)


def reinforced_memory_from(message: pb.ReinforceMemoryResponse) -> ReinforcedMemory:
    """Return the result of a reinforcement."""
    return ReinforcedMemory(message.confidence, message.reinforce_count, message.revision)


def forgotten_memory_from(message: pb.ForgetMemoryResponse) -> ForgottenMemory:
    """Return the result of forgetting a memory."""
    return ForgottenMemory(message.changed, datetime_from(message.purge_time), message.revision)


def linked_memories_from(message: pb.LinkMemoriesResponse) -> LinkedMemories:
    """Return the result of linking two memories."""
    return LinkedMemories(message.is_update, message.superseded, message.revision)


def unlinked_memories_from(message: pb.UnlinkMemoriesResponse) -> UnlinkedMemories:
    """Return the result of unlinking two memories."""
    return UnlinkedMemories(message.links_removed, message.restored, message.revision)


def reembedding_from(message: pb.ReembedMemoriesResponse) -> Reembedding:
    """Return the progress of embedding memories."""
    return Reembedding(message.memories_embedded, message.memories_left, message.model, message.version)
