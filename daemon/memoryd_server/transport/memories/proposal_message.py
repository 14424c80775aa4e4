"""Proposals of memories, between the domain and the contract."""

from collections.abc import Sequence

from memoryd.v1 import memory_proposal_pb2
from memoryd_server.domain import limit, validation
from memoryd_server.domain.memories.classification import type_of
from memoryd_server.domain.memories.memory import MemoryDraft, MemoryType, Provenance
from memoryd_server.domain.memories.memory_proposal import MemoryProposal
from memoryd_server.transport.fields.json_value import write_json
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.timestamp import moment_of, timestamp
from memoryd_server.transport.fields.user_id import user_id_of
from memoryd_server.transport.memories.memory_message import (
    content_of,
    metadata_json_of,
    provenance_message,
    provenance_of,
)


def proposal_message(agent_id: str, proposal: MemoryProposal) -> memory_proposal_pb2.MemoryProposal:
    """Encode a proposal, for responses and events."""
    message = memory_proposal_pb2.MemoryProposal(
        memory_proposal_id=proposal.memory_proposal_id,
        agent_id=agent_id,
        revision=proposal.revision,
        create_time=timestamp(proposal.create_time),
        user_id=proposal.user_id,
        tags=proposal.tags,
        content=proposal.content,
        type=int(proposal.memory_type),  # type: ignore[arg-type]
        project_id=proposal.project_id,
    )
    if proposal.provenance != Provenance():
        message.provenance.CopyFrom(provenance_message(proposal.provenance))
    if proposal.metadata_json:
        write_json(proposal.metadata_json, message.metadata)
    if proposal.occur_time is not None:
        message.occur_time.CopyFrom(timestamp(proposal.occur_time))
    return message


def proposal_drafts_of(
    messages: Sequence[memory_proposal_pb2.MemoryProposalDraft], limits: limit.Limits
) -> tuple[MemoryDraft, ...]:
    """Decode the proposals to create. Raises InvalidField, TooLarge."""
    validation.within("drafts", len(messages), 1, limit.MEMORIES_PER_BATCH_MAX)
    return tuple(_draft_of(each, f"drafts[{index}]", limits) for index, each in enumerate(messages))


def proposal_ids_of(proposal_ids: Sequence[str]) -> tuple[str, ...]:
    """Return the ids of a request, each once. Raises InvalidField."""
    field = "memory_proposal_ids"
    validation.within(field, len(proposal_ids), 1, limit.MEMORIES_PER_BATCH_MAX)
    return tuple(dict.fromkeys(record_id_of(field, each) for each in proposal_ids))


def _draft_of(message: memory_proposal_pb2.MemoryProposalDraft, field: str, limits: limit.Limits) -> MemoryDraft:
    content, given_id = content_of(message.content, f"{field}.content", limits), message.memory_proposal_id
    return MemoryDraft(
        content,
        user_id_of(f"{field}.user_id", message.user_id),
        validation.known(f"{field}.type", message.type, MemoryType) if message.type else type_of(content),
        memory_id=record_id_of(f"{field}.memory_proposal_id", given_id) if given_id else "",
        project_id=validation.optional_text(f"{field}.project_id", message.project_id, limit.PROJECT_ID_BYTES_MAX),
        provenance=provenance_of(message.provenance, f"{field}.provenance"),
        tags=validation.tags(f"{field}.tags", message.tags),
        metadata_json=metadata_json_of(message.metadata, f"{field}.metadata"),
        occur_time=moment_of(message.occur_time, f"{field}.occur_time") if message.HasField("occur_time") else None,
    )
