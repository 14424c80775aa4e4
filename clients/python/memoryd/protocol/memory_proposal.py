"""The calls about proposals of memories."""

from collections.abc import Iterable

from memoryd.model.entry import write_metadata
from memoryd.model.erasure import ErasureReceipt
from memoryd.model.listing import LIST_ORDER, RECORD_VIEW, ListOrder, RecordView
from memoryd.model.memory import MEMORY_TYPE, provenance_message
from memoryd.model.memory_change import CreatedMemory, created_memory_from
from memoryd.model.memory_proposal import (
    MemoryProposal,
    MemoryProposalDraft,
    ProposedMemories,
    proposal_from,
    proposed_memories_from,
)
from memoryd.model.moment import timestamp_if_given
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, call, new_request_id, page_call
from memoryd.protocol.entry import LIST_PAGE_SIZE
from memoryd.protocol.erasure import erasing, removed
from memoryd.protocol.option import strings_of
from memoryd.protocol.record_filter import FilterOptions, filter_of
from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1 import memory_proposal_pb2


class ProposalListOptions(FilterOptions, total=False):
    """The options of a list of proposals, and which are selected: see FilterOptions.

    ``order``: by default that of creation.
    ``view``: by default the proposals are in full.
    """

    order: ListOrder | str
    view: RecordView | str


def create_proposals(agent_id: str, drafts: Iterable[MemoryProposalDraft]) -> Call[ProposedMemories]:
    """Put proposals into the review queue as one change. Raises ValueError for a time without a zone."""
    request = pb.ProposeMemoriesRequest(
        agent_id=agent_id, drafts=map(_draft_message, drafts), request_id=new_request_id()
    )
    return call(method.PROPOSE_MEMORIES, request, proposed_memories_from)


def list_proposals(agent_id: str, options: ProposalListOptions) -> Call[Page[MemoryProposal]]:
    """List proposals, page by page."""
    request = pb.ListMemoryProposalsRequest(
        agent_id=agent_id,
        filter=filter_of(options),
        order=LIST_ORDER.number(options.get("order", ListOrder.UNSPECIFIED)),
        view=RECORD_VIEW.number(options.get("view", RecordView.UNSPECIFIED)),
        page_size=LIST_PAGE_SIZE,
    )
    return page_call(
        method.LIST_MEMORY_PROPOSALS,
        request,
        lambda answer: [proposal_from(each) for each in answer.memory_proposals],
    )


def accept_proposals(agent_id: str, proposal_ids: Iterable[str]) -> Call[tuple[CreatedMemory, ...]]:
    """Make memories of proposals as one change."""
    request = pb.AcceptMemoryProposalsRequest(
        agent_id=agent_id,
        memory_proposal_ids=strings_of("memory_proposal_ids", proposal_ids),
        request_id=new_request_id(),
    )
    return call(
        method.ACCEPT_MEMORY_PROPOSALS,
        request,
        lambda answer: tuple(created_memory_from(each, answer.revision) for each in answer.results),
    )


def reject_proposals(agent_id: str, proposal_ids: Iterable[str], *, erase: bool = False) -> Call[int | ErasureReceipt]:
    """Delete proposals from the review queue as one change."""
    request = pb.RejectMemoryProposalsRequest(
        erase=erase,
        agent_id=agent_id,
        memory_proposal_ids=strings_of("memory_proposal_ids", proposal_ids),
        request_id=new_request_id(),
    )
    return call(
        method.REJECT_MEMORY_PROPOSALS,
        request,
        removed(lambda answer: answer.deleted_count, erase=erase),
        patience=erasing(erase=erase),
    )


def _draft_message(draft: MemoryProposalDraft) -> memory_proposal_pb2.MemoryProposalDraft:
    message = memory_proposal_pb2.MemoryProposalDraft(
        memory_proposal_id=draft.memory_proposal_id,
        user_id=draft.user_id,
        tags=strings_of("tags", draft.tags),
        content=draft.content,
        type=MEMORY_TYPE.number(draft.type or "unspecified"),
        project_id=draft.project_id,
        provenance=provenance_message(draft.provenance),
        occur_time=timestamp_if_given(draft.occur_time),
    )
    if draft.metadata is not None:
        write_metadata(message.metadata, draft.metadata)
    return message
