"""AgentService: decode the request, call the engine, encode the response."""

from memoryd.v1 import agent_pb2
from memoryd.v1 import agent_service_pb2 as pb
from memoryd_server.domain import validation
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, EndAgent
from memoryd_server.domain.limit import AGENT_ID_BYTES_MAX
from memoryd_server.domain.record_kind import CLEARED_BY_DEFAULT, RecordKind
from memoryd_server.engine.upkeep.agents import Agents
from memoryd_server.engine.upkeep.statistics import AgentStatistics
from memoryd_server.ports.store import AgentHead
from memoryd_server.transport.call import Call
from memoryd_server.transport.entries.entry_message import precondition_of
from memoryd_server.transport.fields.request_fields import max_staleness_of, page_request_of, request_key_of
from memoryd_server.transport.fields.timestamp import timestamp
from memoryd_server.transport.snapshots.snapshot_message import snapshot_message


class AgentService:
    """Serves agents as a whole."""

    def __init__(self, agents: Agents) -> None:
        self._agents = agents

    async def get_agent(self, request: pb.GetAgentRequest, call: Call) -> pb.GetAgentResponse:
        """Return one agent."""
        head = await self._agents.get(request.agent_id, max_staleness_of(request))
        return pb.GetAgentResponse(agent=_agent_message(head), revision=head.revision)

    async def list_agents(self, request: pb.ListAgentsRequest, call: Call) -> pb.ListAgentsResponse:
        """List agents that the caller may use."""
        prefix = validation.optional_text("agent_id_prefix", request.agent_id_prefix, AGENT_ID_BYTES_MAX)
        heads, next_page_token = await self._agents.page(prefix, page_request_of(request, call))
        may_use = call.caller.may_use
        return pb.ListAgentsResponse(
            agents=[_agent_message(head) for head in heads if may_use(head.agent_id)],
            next_page_token=next_page_token,
        )

    async def get_agent_stats(self, request: pb.GetAgentStatsRequest, call: Call) -> pb.GetAgentStatsResponse:
        """Return the sizes and counts of an agent's memory."""
        statistics, revision = await self._agents.statistics(request.agent_id, max_staleness_of(request))
        return pb.GetAgentStatsResponse(stats=_stats_message(statistics), revision=revision)

    async def clear_agent(self, request: pb.ClearAgentRequest, call: Call) -> pb.ClearAgentResponse:
        """Clear an agent."""
        kinds = validation.all_known("kinds", request.kinds, RecordKind) or CLEARED_BY_DEFAULT
        clearing = ClearAgent(precondition_of(request), kinds)
        answer = await self._agents.clear(request.agent_id, clearing, call.origin, request_key_of(request, call))
        return pb.ClearAgentResponse(
            entries_cleared=answer.counts.get("entries", 0),
            scopes_disposed=answer.counts.get("scopes", 0),
            fragments_cleared=answer.counts.get("fragments", 0),
            memories_cleared=answer.counts.get("memories", 0),
            records_cleared=answer.counts.get("records", 0),
            revision=answer.revision,
        )

    async def end_agent(self, request: pb.EndAgentRequest, call: Call) -> pb.EndAgentResponse:
        """End an agent."""
        answer, snapshot = await self._agents.end(
            request.agent_id,
            EndAgent(precondition_of(request)),
            call.origin,
            request_key_of(request, call),
            create_snapshot=request.create_snapshot,
        )
        return pb.EndAgentResponse(
            entries_cleared=answer.counts.get("entries", 0),
            scopes_disposed=answer.counts.get("scopes", 0),
            fragments_cleared=answer.counts.get("fragments", 0),
            memories_cleared=answer.counts.get("memories", 0),
            records_cleared=answer.counts.get("records", 0),
            snapshot=None if snapshot is None else snapshot_message(snapshot),
            revision=answer.revision,
        )


def _agent_message(head: AgentHead) -> agent_pb2.Agent:
    return agent_pb2.Agent(
        agent_id=head.agent_id,
        revision=head.revision,
        create_time=timestamp(head.create_time),
        update_time=timestamp(head.update_time),
    )


def _stats_message(statistics: AgentStatistics) -> agent_pb2.AgentStats:
    counts = statistics.counts
    return agent_pb2.AgentStats(
        working_entry_count=counts["entry_count"],
        root_entry_count=counts["root_entry_count"],
        active_scope_count=counts["scope_count"],
        storage_bytes_used=statistics.size_bytes,
        storage_bytes_limit=statistics.size_bytes_max,
        storage_percent_used=100 * statistics.size_bytes / statistics.size_bytes_max,
        oldest_entry_time=None if statistics.oldest_time is None else timestamp(statistics.oldest_time),
        newest_entry_time=None if statistics.newest_time is None else timestamp(statistics.newest_time),
        fragment_count=counts["fragment_count"],
        long_term_entry_count=counts["memory_count"],
        forgotten_entry_count=counts["forgotten_count"],
        archived_memory_count=counts["archived_count"],
        superseded_memory_count=counts["superseded_count"],
        memory_link_count=counts["link_count"],
        embedding_backlog=counts["embedding_backlog"],
        record_counts=statistics.record_counts,
        context_tokens_used=counts["context_tokens"],
        context_tokens_max=statistics.context_tokens_max,
    )
