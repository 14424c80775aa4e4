"""AgentService: decode the request, call the engine, encode the response."""

from memoryd.v1 import agent_pb2
from memoryd.v1 import agent_service_pb2 as pb
from memoryd_server.domain import validation
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.lifecycle.agent_change import CLEARABLE, AgentCleared, ClearAgent, EndAgent
from memoryd_server.domain.limit import AGENT_ID_BYTES_MAX
from memoryd_server.domain.record_kind import CLEARED_BY_DEFAULT, RecordKind
from memoryd_server.engine.entries.entry_log import log_change
from memoryd_server.engine.upkeep.agents import Agents
from memoryd_server.engine.upkeep.statistics import AgentStatistics
from memoryd_server.ports.store import AgentHead
from memoryd_server.transport.call import Call
from memoryd_server.transport.change import Change, change
from memoryd_server.transport.fields.record_count import count_messages
from memoryd_server.transport.fields.request_fields import consistency_of, page_request_of, write_of
from memoryd_server.transport.fields.timestamp import timestamp
from memoryd_server.transport.snapshots.snapshot_message import snapshot_message


class AgentService:
    """Serves agents as a whole."""

    def __init__(self, agents: Agents) -> None:
        self._agents = agents

    async def get_agent(self, request: pb.GetAgentRequest, call: Call) -> pb.GetAgentResponse:
        """Return one agent."""
        head = await self._agents.get(request.agent_id, consistency_of(request))
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

        return Change(clearing, encode, log_change)

    async def end_agent(self, request: pb.EndAgentRequest, call: Call) -> pb.EndAgentResponse:
        """End an agent."""
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
