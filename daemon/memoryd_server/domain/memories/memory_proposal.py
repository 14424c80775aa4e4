"""Proposals: memories that wait for a person or an agent to accept them. No recall and no context has them."""

from operator import attrgetter
from typing import ClassVar

import msgspec

from memoryd_server.domain.agent.collection import Collected
from memoryd_server.domain.agent.collection_part import CollectionPart
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.memories.memory import MemoryDraft, MemoryType, Provenance, purge_digest_of
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.validation import size_bytes
from memoryd_server.domain.values.record_filter import RecordShape

MEMORY_PROPOSAL_SHAPE = RecordShape(
    "memory_proposal",
    attrgetter("memory_proposal_id"),
    conversation_of=attrgetter("provenance.conversation_id"),
    conversation_field="provenance",
)
"""The fields of proposals that a filter asks for."""


class MemoryProposal(Collected, frozen=True, array_like=True, gc=False, tag="memory_proposal"):
    """One proposal, which never changes. Times are nanoseconds since the Unix epoch; fields are stored in this order.

    The fields from ``content`` to ``occur_time`` and ``metadata_json`` are those of the memory; ``occur_time`` is None
    for the time at which the proposal is accepted.
    """

    shape: ClassVar[RecordShape | None] = MEMORY_PROPOSAL_SHAPE
    kept_when_erased: ClassVar = ("memory_proposal_id",)

    memory_proposal_id: str
    content: str
    user_id: str
    memory_type: MemoryType
    project_id: str
    provenance: Provenance
    tags: tuple[str, ...]
    occur_time: int | None
    create_time: int
    revision: int
    size_bytes: int
    metadata_json: str = ""

    @property
    def group(self) -> str:
        """The empty string: proposals are not grouped, each is found by its id alone."""
        return ""

    @property
    def key(self) -> str:
        """The proposal's id."""
        return self.memory_proposal_id

    @property
    def aliases(self) -> tuple[str]:
        """The digest of its owner and content, so that the queue has what is said again only once."""
        return (proposal_alias(self.draft(0)),)

    @property
    def update_time(self) -> int:
        """The time of creation, since a proposal never changes."""
        return self.create_time

    def draft(self, working_expire_time: int) -> MemoryDraft:
        """Return the memory that the proposal becomes. If it is a working memory, it expires at the given time."""
        return MemoryDraft(
            self.content,
            self.user_id,
            self.memory_type,
            project_id=self.project_id,
            provenance=self.provenance,
            tags=self.tags,
            metadata_json=self.metadata_json,
            occur_time=self.occur_time,
            expire_time=working_expire_time if self.memory_type is MemoryType.WORKING else None,
        )

    def without_content(self) -> "MemoryProposal":
        """Return the proposal without what its writer wrote, for events to clients that may not read content."""
        provenance = msgspec.structs.replace(self.provenance, learning_context="")
        return msgspec.structs.replace(self, content="", tags=(), metadata_json="", provenance=provenance)


def proposal_alias(draft: MemoryDraft) -> str:
    """Return the alias of the proposal of a memory: the same for all of one owner and content."""
    return purge_digest_of(draft).hex()


def proposal_of(draft: MemoryDraft, proposal_id: str, revision: int, now: int) -> MemoryProposal:
    """Return the proposal of a memory."""
    origins = (draft.provenance.conversation_id, draft.provenance.document_id, draft.provenance.learning_context)
    texts = (draft.content, draft.user_id, draft.project_id, draft.metadata_json, *origins, *draft.tags)
    return MemoryProposal(
        proposal_id,
        draft.content,
        draft.user_id,
        draft.type,
        draft.project_id,
        draft.provenance,
        draft.tags,
        draft.occur_time,
        create_time=now,
        revision=revision,
        size_bytes=sum(map(size_bytes, texts)),
        metadata_json=draft.metadata_json,
    )


MEMORY_PROPOSAL = CollectionPart(
    "memory_proposal",
    MemoryProposal,
    RecordKind.MEMORY_PROPOSAL,
    EventType.MEMORY_PROPOSAL_CREATED,
    deleted=EventType.MEMORY_PROPOSAL_DELETED,
)
