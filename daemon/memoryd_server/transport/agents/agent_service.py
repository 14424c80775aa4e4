"""AgentService: decode the request, call the engine, encode the response."""

from memoryd.v1 import agent_pb2
from memoryd.v1 import agent_service_pb2 as pb
from memoryd.v1.erasure_pb2 import ErasureReceipt
from memoryd_server.domain import validation
from memoryd_server.domain.agents.agent_change import AgentUpdated, UpdateAgent
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.lifecycle.agent_change import CLEARABLE, AgentCleared, ClearAgent, EndAgent
from memoryd_server.domain.limit import PAGE_SIZE_MAX, USER_ID_BYTES_MAX
from memoryd_server.domain.record_kind import CLEARED_BY_DEFAULT, RecordKind
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.engine.agents.tiers import Tiers
from memoryd_server.engine.entries.entry_log import log_change
from memoryd_server.engine.upkeep.agents import AGENT_SHAPE, AgentListing, Agents, DescribedAgent
from memoryd_server.engine.upkeep.statistics import AgentStatistics
from memoryd_server.ports.auth import Verb
from memoryd_server.transport.agents.agent_message import agent_message, patch_of
from memoryd_server.transport.call import Call
from memoryd_server.transport.change import Change, change
from memoryd_server.transport.erasing import Erasing
from memoryd_server.transport.fields.agent_filter import agent_filter_of
from memoryd_server.transport.fields.record_count import count_messages
from memoryd_server.transport.fields.record_filter import record_filter_of
from memoryd_server.transport.fields.request_fields import consistency_of, page_request_of, write_of
from memoryd_server.transport.fields.timestamp import timestamp
from memoryd_server.transport.fields.view import order_of, view_of, viewed
from memoryd_server.transport.snapshots.snapshot_message import snapshot_message


class AgentService:
    """Serves agents as a whole."""

    def __init__(self, agents: Agents, erasing: Erasing, tiers: Tiers) -> None:
        self._agents = agents
        self._erasing = erasing
        self._tiers = tiers

    async def get_agent(self, request: pb.GetAgentRequest, call: Call) -> pb.GetAgentResponse:
        """Return one agent."""
        agent = await self._agents.get(request.agent_id, consistency_of(request))
        return pb.GetAgentResponse(agent=agent_message(agent), revision=agent.revision)

    @change
    def update_agent(self, request: pb.UpdateAgentRequest) -> Change[AgentUpdated]:
        """Update an agent, or create it."""
        updating = UpdateAgent(patch_of(request.draft, request.update_mask))
        if (tier := updating.patch.tier) and self._tiers.is_enforced and tier not in self._tiers.defined:
            raise InvalidField("draft.tier", f"must be a tier of the policy, which defines no {tier!r}")

        def encode(done: AgentUpdated) -> pb.UpdateAgentResponse:
            times = done.revision, done.create_time, done.update_time
            return pb.UpdateAgentResponse(
                agent=agent_message(DescribedAgent(request.agent_id, *times, done.description)),
                changed=done.changed,
                created=done.created,
                revision=done.revision,
            )

        return Change(updating, encode, log_change)

    async def list_agents(self, request: pb.ListAgentsRequest, call: Call) -> pb.ListAgentsResponse:
        """List agents that the caller may use."""
        view = view_of(request)
        if consistency_of(request).min_revision:
            raise InvalidField("consistency.min_revision", "must not be set: the list names no agent")
        wanted = agent_filter_of("agent_ids", request.agent_ids)
        chosen = record_filter_of(request.filter, AGENT_SHAPE, default_users=None)
        listing = AgentListing(
            call.caller.agents(call.policy.verb).shared_with(wanted), order_of(request, ListOrder.ID), chosen
        )
        agents, next_page_token = await self._agents.page(listing, page_request_of(request, call))
        return pb.ListAgentsResponse(
            agents=[viewed(agent_message(each), view) for each in agents], next_page_token=next_page_token
        )

    async def get_agent_stats(self, request: pb.GetAgentStatsRequest, call: Call) -> pb.GetAgentStatsResponse:
        """Return the sizes and counts of an agent's memory."""
        statistics, revision = await self._agents.statistics(request.agent_id, consistency_of(request))
        return pb.GetAgentStatsResponse(stats=_stats_message(statistics), revision=revision)

    @change
    def clear_agent(self, request: pb.ClearAgentRequest) -> Change[AgentCleared]:
        """Clear an agent."""
        kinds = validation.all_known("kinds", request.kinds, RecordKind)
        if not kinds <= CLEARABLE:
            raise InvalidField("kinds", "must be kinds that can be cleared")
        clearing = ClearAgent(kinds or CLEARED_BY_DEFAULT)

        def encode(answer: AgentCleared) -> pb.ClearAgentResponse:
            return pb.ClearAgentResponse(cleared=count_messages(answer.counts), revision=answer.revision)

        return Change(clearing, encode, log_change, erases=request.erase)

    async def end_agent(self, request: pb.EndAgentRequest, call: Call) -> pb.EndAgentResponse:
        """End an agent."""
        if request.erase:
            return await self._end_erased(request, call)
        answer, snapshot = await self._agents.end(
            request.agent_id,
            EndAgent(),
            write_of(request, call),
            create_snapshot=request.create_snapshot,
        )
        return pb.EndAgentResponse(
            cleared=count_messages(answer.counts),
            snapshot=None if snapshot is None else snapshot_message(snapshot),
            deleted=answer.deleted,
            revision=answer.revision,
        )

    async def _end_erased(self, request: pb.EndAgentRequest, call: Call) -> pb.EndAgentResponse:
        if request.create_snapshot:
            raise InvalidField("create_snapshot", "must not be set with erase: the snapshot would keep what is erased")
        erased = await self._agents.end_erased(request.agent_id, write_of(request, call))
        answer: AgentCleared = erased.result
        (receipt,) = await self._erasing.receipts(request.agent_id, [erased], call)
        return pb.EndAgentResponse(
            cleared=count_messages(answer.counts), deleted=answer.deleted, revision=answer.revision, receipt=receipt
        )

    async def forget_user(self, request: pb.ForgetUserRequest, call: Call) -> pb.ForgetUserResponse:
        """Forget a user in all kinds of records."""
        user_id = validation.text("user_id", request.user_id, USER_ID_BYTES_MAX)
        answer, rows, snapshots = await self._agents.forget_user(
            request.agent_id, user_id, write_of(request, call), blocks_reimport=request.block_reimport
        )
        deleted = list(count_messages(answer.counts))
        snapshot_ids = [each.snapshot_id for each in snapshots if call.may(Verb.SNAPSHOT, each.agent_id)][
            :PAGE_SIZE_MAX
        ]
        return pb.ForgetUserResponse(
            deleted=deleted,
            snapshot_ids=snapshot_ids,
            snapshot_count=len(snapshots),
            revision=answer.revision,
            receipt=ErasureReceipt(
                erased=deleted,
                journal_row_count=rows,
                snapshot_ids=snapshot_ids,
                snapshot_count=len(snapshots),
            ),
        )


def _stats_message(statistics: AgentStatistics) -> agent_pb2.AgentStats:
    counts = statistics.counts
    return agent_pb2.AgentStats(
        record_counts=count_messages(statistics.record_counts),
        root_entry_count=counts["root_entries"],
        oldest_entry_time=None if statistics.oldest_time is None else timestamp(statistics.oldest_time),
        newest_entry_time=None if statistics.newest_time is None else timestamp(statistics.newest_time),
        archived_memory_count=counts["archived_memories"],
        superseded_memory_count=counts["superseded_memories"],
        forgotten_memory_count=counts["forgotten_memories"],
        unembedded_memory_count=counts["unembedded_memories"],
        storage_bytes=statistics.size_bytes,
        storage_bytes_max=statistics.size_bytes_max,
        context_token_count=counts["context_tokens"],
        context_token_count_max=statistics.context_tokens_max,
    )
