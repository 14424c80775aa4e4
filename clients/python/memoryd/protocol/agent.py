"""The calls about agents as a whole, and about the server."""

from collections.abc import Iterable

from memoryd.model.agent import (
    AgentInfo,
    AgentStats,
    Cleared,
    Ended,
    agent_from,
    cleared_from,
    ended_from,
    stats_from,
)
from memoryd.model.record import RECORD_KIND, RecordKind
from memoryd.model.server import ServerInfo, server_from
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, call, new_request_id, page_call
from memoryd.protocol.entry import LIST_PAGE_SIZE
from memoryd.protocol.option import precondition_of
from memoryd.v1 import agent_service_pb2 as pb
from memoryd.v1.server_service_pb2 import GetServerInfoRequest


def get_agent(agent_id: str) -> Call[AgentInfo]:
    """Read an agent's revision and times."""
    return call(method.GET_AGENT, pb.GetAgentRequest(agent_id=agent_id), lambda answer: agent_from(answer.agent))


def list_agents(prefix: str) -> Call[Page[AgentInfo]]:
    """List agents, page by page."""
    request = pb.ListAgentsRequest(agent_id_prefix=prefix, page_size=LIST_PAGE_SIZE)
    return page_call(method.LIST_AGENTS, request, lambda answer: [agent_from(agent) for agent in answer.agents])


def get_stats(agent_id: str) -> Call[AgentStats]:
    """Read the numbers and sizes of an agent's records."""
    request = pb.GetAgentStatsRequest(agent_id=agent_id)
    return call(method.GET_AGENT_STATS, request, lambda answer: stats_from(answer.stats))


def clear_agent(
    agent_id: str, kinds: Iterable[RecordKind | str], *, must_exist: bool = False, expected_revision: int | None = None
) -> Call[Cleared]:
    """Remove an agent's records of these kinds; of the default kinds when none are given."""
    request = pb.ClearAgentRequest(
        agent_id=agent_id,
        kinds=[RECORD_KIND.number(kind) for kind in kinds],
        agent_precondition=precondition_of(must_exist=must_exist, expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.CLEAR_AGENT, request, cleared_from)


def end_agent(
    agent_id: str, *, snapshot: bool, patience: float, must_exist: bool = False, expected_revision: int | None = None
) -> Call[Ended]:
    """Remove an agent with all of its records. If ``snapshot`` is true, take a snapshot first."""
    request = pb.EndAgentRequest(
        agent_id=agent_id,
        create_snapshot=snapshot,
        agent_precondition=precondition_of(must_exist=must_exist, expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.END_AGENT, request, ended_from, patience=patience if snapshot else 0.0)


def get_server_info() -> Call[ServerInfo]:
    """Read the description of the server."""
    return call(method.GET_SERVER_INFO, GetServerInfoRequest(), server_from)
