"""What the changes of memories did."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memoryd.model.enum_word import EnumWords
from memoryd.model.memory import LONG_TERM_MEMORY_TYPE, LongTermMemoryType
from memoryd.model.moment import datetime_from
from memoryd.v1 import long_term_memory_service_pb2 as pb


class CreationOutcome(StrEnum):
    """What became of a draft: a memory of its own, a reinforcement of one that tells the same, or nothing.

    ``KEPT_OUT``: the content was purged so that it does not come back.
    """

    UNSPECIFIED = "unspecified"
    CREATED = "created"
    REINFORCED = "reinforced"
    KEPT_OUT = "kept_out"


CREATION_OUTCOME = EnumWords(pb.CreationOutcome, "CREATION_OUTCOME")


@dataclass(frozen=True, slots=True)
class CreatedMemory:
    """What became of a draft.

    ``memory_id`` is the memory that was made, or that was reinforced; empty when the draft was kept out.
    ``contradicted_memory_ids`` say otherwise of the same: the new one was linked with them. ``revision`` is the
    agent's.
    """

    outcome: CreationOutcome
    memory_id: str
    type: LongTermMemoryType
    contradicted_memory_ids: tuple[str, ...]
    revision: int


@dataclass(frozen=True, slots=True)
class UpdatedMemory:
    """What an update did: whether anything was changed, and the agent's revision."""

    updated: bool
    revision: int


@dataclass(frozen=True, slots=True)
class ReinforcedMemory:
    """How sure a memory is now, from 0 to 1, how often it was reinforced, and the agent's new revision."""

    confidence: float
    reinforce_count: int
    revision: int


@dataclass(frozen=True, slots=True)
class ForgottenMemory:
    """What forgetting a memory did: whether it was not forgotten before, until when it can be restored, and the agent's
    revision.
    """

    changed: bool
    purge_time: datetime
    revision: int


@dataclass(frozen=True, slots=True)
class LinkedMemories:
    """What linking did: whether the link was there, whether it marked its end superseded, and the agent's revision."""

    is_update: bool
    superseded: bool
    revision: int


@dataclass(frozen=True, slots=True)
class UnlinkedMemories:
    """What unlinking did.

    ``restored`` is whether the memory at the links' end is active again, since nothing supersedes it any more.
    ``revision`` is the agent's.
    """

    links_removed: int
    restored: bool
    revision: int


@dataclass(frozen=True, slots=True)
class Reembedding:
    """How far making vectors is: how many the last call made, how many are left, and the server's embedder."""

    memories_embedded: int
    memories_left: int
    model: str
    version: str


def created_memory_from(message: pb.CreatedMemory, revision: int) -> CreatedMemory:
    """Answer what became of a draft."""
    return CreatedMemory(
        outcome=CREATION_OUTCOME.word(CreationOutcome, message.outcome),
        memory_id=message.memory_id,
        type=LONG_TERM_MEMORY_TYPE.word(LongTermMemoryType, message.type),
        contradicted_memory_ids=tuple(message.contradicted_memory_ids),
        revision=revision,
    )


def updated_memory_from(message: pb.UpdateMemoryResponse) -> UpdatedMemory:
    """Answer what an update did."""
    return UpdatedMemory(message.updated, message.revision)


def reinforced_memory_from(message: pb.ReinforceMemoryResponse) -> ReinforcedMemory:
    """Answer what reinforcing did."""
    return ReinforcedMemory(message.confidence, message.reinforce_count, message.revision)


def forgotten_memory_from(message: pb.ForgetMemoryResponse) -> ForgottenMemory:
    """Answer what forgetting did."""
    return ForgottenMemory(message.changed, datetime_from(message.purge_time), message.revision)


def linked_memories_from(message: pb.LinkMemoriesResponse) -> LinkedMemories:
    """Answer what linking did."""
    return LinkedMemories(message.is_update, message.superseded, message.revision)


def unlinked_memories_from(message: pb.UnlinkMemoriesResponse) -> UnlinkedMemories:
    """Answer what unlinking did."""
    return UnlinkedMemories(message.links_removed, message.restored, message.revision)


def reembedding_from(message: pb.ReembedMemoriesResponse) -> Reembedding:
    """Answer how far making vectors is."""
    return Reembedding(message.memories_embedded, message.memories_left, message.model, message.version)
