"""The methods of LongTermMemoryService about the review queue, but for those that make memories."""

from collections.abc import Sequence

from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1 import memory_proposal_pb2
from memoryd_server.domain import limit
from memoryd_server.domain.agent.result import RecordRemoved
from memoryd_server.domain.memories.changes.proposal_change import MemoriesProposed, ProposeMemories, RejectProposals
from memoryd_server.domain.memories.memory_proposal import MEMORY_PROPOSAL, MEMORY_PROPOSAL_SHAPE
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.domain.values.record_view import RecordView
from memoryd_server.engine.agents.clock import new_id
from memoryd_server.engine.agents.collections import Collections, log_change
from memoryd_server.engine.memories.memory_proposals import MemoryProposals
from memoryd_server.transport.call import Call
from memoryd_server.transport.change import Change, change
from memoryd_server.transport.fields.record_filter import record_filter_of
from memoryd_server.transport.fields.request_fields import consistency_of, page_request_of
from memoryd_server.transport.fields.view import order_of, view_of, viewed
from memoryd_server.transport.memories.proposal_message import proposal_drafts_of, proposal_ids_of, proposal_message


class ProposalMethods:
    """Serves proposals of memories."""

    def __init__(self, proposals: MemoryProposals, collections: Collections, limits: limit.Limits) -> None:
        self._proposals = proposals
        self._collections = collections
        self._limits = limits

    @change
    def propose_memories(self, request: pb.ProposeMemoriesRequest) -> Change[MemoriesProposed]:
        """Put proposals into the review queue."""
        proposing = ProposeMemories(proposal_drafts_of(request.drafts, self._limits), new_id())

        async def encode(done: MemoriesProposed) -> pb.ProposeMemoriesResponse:
            found = await self.proposals_with(request.agent_id, [each.memory_proposal_id for each in done.proposed])
            return pb.ProposeMemoriesResponse(
                memory_proposals=[viewed(each, RecordView.WITHOUT_CONTENT) for each in found],
                created_count=sum(each.created for each in done.proposed),
                revision=done.revision,
            )

        return Change(proposing, encode, log_change)

    async def list_memory_proposals(
        self, request: pb.ListMemoryProposalsRequest, call: Call
    ) -> pb.ListMemoryProposalsResponse:
        """List the proposals in the review queue."""
        chosen, view = record_filter_of(request.filter, MEMORY_PROPOSAL_SHAPE), view_of(request)
        page = await self._collections.list(
            request.agent_id,
            MEMORY_PROPOSAL,
            page_request_of(request, call),
            group="",
            chosen=chosen,
            order=order_of(request, ListOrder.CREATE_TIME),
            consistency=consistency_of(request),
        )
        return pb.ListMemoryProposalsResponse(
            memory_proposals=[viewed(proposal_message(request.agent_id, each), view) for each in page.items],
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            revision=page.revision,
        )

    @change
    def reject_memory_proposals(self, request: pb.RejectMemoryProposalsRequest) -> Change[RecordRemoved]:
        """Delete proposals from the review queue."""
        rejecting = RejectProposals(proposal_ids_of(request.memory_proposal_ids))

        def encode(done: RecordRemoved) -> pb.RejectMemoryProposalsResponse:
            return pb.RejectMemoryProposalsResponse(deleted_count=done.count, revision=done.revision)

        return Change(rejecting, encode, log_change, erases=request.erase)

    async def proposals_with(
        self, agent_id: str, proposal_ids: Sequence[str]
    ) -> list[memory_proposal_pb2.MemoryProposal]:
        """Encode the proposals that a change returned, by their ids alone where they are gone since."""
        found = await self._proposals.found(agent_id, proposal_ids)
        return [
            memory_proposal_pb2.MemoryProposal(memory_proposal_id=proposal_id, agent_id=agent_id)
            if proposal is None
            else proposal_message(agent_id, proposal)
            for proposal_id, proposal in zip(proposal_ids, found, strict=True)
        ]
