"""The call that a handler serves, apart from its request."""

from collections.abc import Callable, Iterable

import msgspec

from memoryd_server.domain.error import AgentForbidden
from memoryd_server.domain.limit import ORIGIN_BYTES_MAX
from memoryd_server.domain.validation import optional_text
from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.ports.auth import Caller
from memoryd_server.transport.exchange import Exchange, Metadata, Peer

ORIGIN_KEY = "memoryd-origin"


class Call(msgspec.Struct, frozen=True):
    """One call: who made it, and with which metadata. ``method`` is such as ``EventService/ListEvents``.

    ``request_bytes`` is the size of the request; 0 where requests are a stream.
    ``peer`` returns the other end of a call with a stream of responses; it is None for other calls, which need it not.
    ``outlet`` is where such a call's responses go; None for other calls.
    """

    method: str
    caller: Caller
    metadata: Callable[[], Metadata]
    request_bytes: int = 0
    peer: Callable[[], Peer] | None = None
    outlet: Exchange | None = None

    @property
    def connection(self) -> str:
        """The address of the other end; empty if it is not known."""
        return "" if self.peer is None else self.peer().address

    @property
    def origin(self) -> str:
        """The name that the caller chose for its events; empty without one. Raises InvalidField."""
        for key, origin in self.metadata():
            if key == ORIGIN_KEY and isinstance(origin, str):
                return optional_text(ORIGIN_KEY, origin, ORIGIN_BYTES_MAX)
        return ""

    def may_use(self, agent_id: str) -> bool:
        """Return True if the caller may use the agent. An empty id means all agents."""
        caller = self.caller
        return caller.all_agents or (bool(agent_id) and caller.may_use(agent_id))

    def require_agent(self, agent_id: str) -> None:
        """Raise AgentForbidden unless the caller may use the agent. An empty id means all agents."""
        if not self.may_use(agent_id):
            raise AgentForbidden(agent_id)

    def require_each(self, agent_ids: Iterable[str]) -> None:
        """Raise AgentForbidden unless the caller may use each of these agents. An empty id means all agents."""
        for agent_id in agent_ids:
            self.require_agent(agent_id)

    def require_agents(self, agents: AgentPatterns) -> None:
        """Raise AgentForbidden unless the caller may use every agent that matches, whether it exists or not."""
        uncovered = self.caller.agents.uncovered(agents)
        if uncovered is not None:
            raise AgentForbidden(uncovered)
