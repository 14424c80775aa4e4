"""Proposals of memories, which wait for a review."""

from collections.abc import Collection, Mapping
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from memoryd.model.entry import metadata_from
from memoryd.model.enum_word import EnumWords
from memoryd.model.memory import MEMORY_TYPE, MemoryType, Provenance, provenance_from
from memoryd.model.moment import datetime_from, datetime_in
from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1 import memory_proposal_pb2


class IngestMode(StrEnum):
    """The outcome of a statement in a conversation: a memory, or a proposal that waits for a review."""

    UNSPECIFIED = "unspecified"
    STORE = "store"
    PROPOSE = "propose"


INGEST_MODE = EnumWords(pb.IngestMode, "INGEST_MODE")


@dataclass(frozen=True, slots=True)
class MemoryProposal:
    """A memory that waits in the review queue. It is not recalled until it is accepted.

    ``provenance`` has the sentence that is its evidence. ``occur_time`` is None for the time at which it is accepted.
    """

    memory_proposal_id: str
    agent_id: str
    content: str
    user_id: str
    type: MemoryType
    project_id: str
    provenance: Provenance
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    occur_time: datetime | None
    create_time: datetime
    revision: int


@dataclass(frozen=True, slots=True)
class MemoryProposalDraft:
    """A proposal to create.

    ``content`` is the text to remember, and ``user_id`` the user whom it is about, or who said it; empty for none. An
    empty ``memory_proposal_id`` lets the server choose. The other fields are those that the memory gets: see
    MemoryOptions.
    """

    content: str
    user_id: str = ""
    _: KW_ONLY
    memory_proposal_id: str = ""
    project_id: str = ""
    type: MemoryType | str | None = None
    provenance: Provenance | None = None
    tags: Collection[str] = ()
    metadata: Mapping[str, Any] | None = None
    occur_time: datetime | None = None


@dataclass(frozen=True, slots=True)
class ProposedMemories:
    """The result of creating proposals.

    ``proposals`` are in the order of the drafts, without content. For a draft that added none it is the one that was
    pending already; its id is empty if the content is blocked. ``created_count`` is the number of new ones, and
    ``revision`` the agent's.
    """

    proposals: tuple[MemoryProposal, ...]
    created_count: int
    revision: int


def proposal_from(message: memory_proposal_pb2.MemoryProposal) -> MemoryProposal:
    """Return the proposal of a message."""
    return MemoryProposal(
        memory_proposal_id=message.memory_proposal_id,
        agent_id=message.agent_id,
        content=message.content,
        user_id=message.user_id,
        type=MEMORY_TYPE.word(MemoryType, message.type),
        project_id=message.project_id,
        provenance=provenance_from(message.provenance),
        tags=tuple(message.tags),
        metadata=metadata_from(message.metadata),
        occur_time=datetime_in(message, "occur_time"),
        create_time=datetime_from(message.create_time),
        revision=message.revision,
    )


def proposed_memories_from(message: pb.ProposeMemoriesResponse) -> ProposedMemories:
    """Return the result of creating proposals."""
    proposals = tuple(proposal_from(each) for each in message.memory_proposals)
    return ProposedMemories(proposals, message.created_count, message.revision)
