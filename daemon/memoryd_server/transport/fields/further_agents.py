"""Further agents whose records a request reads."""

from collections.abc import Iterable, Iterator
from typing import Any

from memoryd.v1 import agent_pb2
from memoryd_server.domain import limit, validation
from memoryd_server.domain.error import InvalidField
from memoryd_server.transport.call import Call


def further_agents_of(request: Any, call: Call) -> list[str]:
    """Return the further agents of a request. Raises InvalidField, and AgentForbidden unless the caller may use all."""
    field = "further_agent_ids"
    validation.within(field, len(request.further_agent_ids), 0, limit.FURTHER_AGENTS_MAX)
    found: list[str] = []
    for index, agent_id in enumerate(request.further_agent_ids):
        validation.text(f"{field}[{index}]", agent_id, limit.AGENT_ID_BYTES_MAX)
        if agent_id == request.agent_id or agent_id in found:
            raise InvalidField(f"{field}[{index}]", "must be another agent than agent_id and the others")
        found.append(agent_id)
    call.require_each(found)
    return found


def agent_revisions(revisions: Iterable[tuple[str, int]]) -> Iterator[agent_pb2.AgentRevision]:
    """Encode revisions of agents."""
    for agent_id, revision in revisions:
        yield agent_pb2.AgentRevision(agent_id=agent_id, revision=revision)
