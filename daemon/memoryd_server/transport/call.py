"""The call that a handler serves, apart from its request."""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from memoryd_server.domain.error import AgentForbidden, Refusal, Unauthenticated, VerbForbidden
from memoryd_server.domain.limit import ORIGIN_BYTES_MAX
from memoryd_server.domain.validation import optional_text
from memoryd_server.domain.values.agent_pattern import NO_AGENTS, AgentPatterns
from memoryd_server.ports.auth import Caller, Verb
from memoryd_server.transport.access import AccessRule, MethodPolicy
from memoryd_server.transport.call_facts import CallFacts
from memoryd_server.transport.exchange import Exchange, Peer

ORIGIN_KEY = "memoryd-origin"


class Call(msgspec.Struct, frozen=True):
    """One call: of which method it is, and who made it. ``metadata`` returns the text of a key that came with it.

    ``request_bytes`` is the size of the request; 0 where requests are a stream.
    ``peer`` returns the other end of a call with a stream of responses; it is None for other calls, which need it not.
    ``outlet`` is where such a call's responses go; None for other calls.
    ``checks`` are the rights that the call was found to have; None for a call that is not to be checked again.
    ``facts`` is where to note what the call is about; None where nobody audits it.
    """

    policy: MethodPolicy
    caller: Caller
    metadata: Callable[[str], str | None]
    request_bytes: int = 0
    peer: Callable[[], Peer] | None = None
    outlet: Exchange | None = None
    checks: set[tuple[Verb | None, str | AgentPatterns]] | None = None
    facts: CallFacts | None = None

    @property
    def connection(self) -> str:
        """The address of the other end; empty if it is not known."""
        return "" if self.peer is None else self.peer().address

    @property
    def origin(self) -> str:
        """The name that the caller chose for its events; empty without one. Raises InvalidField."""
        origin = self.metadata(ORIGIN_KEY)
        return "" if origin is None else optional_text(ORIGIN_KEY, origin, ORIGIN_BYTES_MAX)

    def may_use(self, agent_id: str) -> bool:
        """Return True if the caller may use the agent as the method does. An empty id means all agents."""
        return self.may(self.policy.verb, agent_id)

    def may(self, verb: Verb | None, agent_id: str) -> bool:
        """Return True if the caller has the verb for the agent. An empty id means all agents; None means any verb."""
        agents = self.caller.agents(verb)
        return agents.matches(agent_id) if agent_id else agents.is_all

    def require(self, verb: Verb | None, agent_id: str) -> None:
        """Raise AgentForbidden or VerbForbidden unless ``may``."""
        self._note(verb, agent_id)
        if not self.may(verb, agent_id):
            raise _refusal(verb, agent_id, has_other_verbs=self.may(None, agent_id))

    def conceal(self, agent_id: str) -> None:
        """Note that the caller is denied what belongs to an agent, by a status that says that it does not exist."""
        if self.facts is not None:
            self.facts.name(agent_id)
            self.facts.is_denied = True

    def require_agent(self, agent_id: str) -> None:
        """Raise AgentForbidden or VerbForbidden unless ``may_use``."""
        self.require(self.policy.verb, agent_id)

    def require_each(self, agent_ids: Iterable[str]) -> None:
        """Raise AgentForbidden or VerbForbidden unless the caller may use each of these agents."""
        for agent_id in agent_ids:
            self.require_agent(agent_id)

    def require_agents(self, agents: AgentPatterns) -> None:
        """Raise AgentForbidden or VerbForbidden unless the caller may use every agent that matches."""
        self._require_all(self.policy.verb, agents)

    def check_again(self) -> None:
        """Raise Unauthenticated, AgentForbidden or VerbForbidden if the caller has lost a right that the call needs."""
        if not self.caller.is_valid:
            raise Unauthenticated
        for verb, agents in list(self.checks or ()):
            if isinstance(agents, str):
                self.require(verb, agents)
            else:
                self._require_all(verb, agents)

    def _note(self, verb: Verb | None, agents: str | AgentPatterns) -> None:
        if self.checks is not None:
            self.checks.add((verb, agents))
        if self.facts is not None:
            self.facts.name(agents)

    def _require_all(self, verb: Verb | None, agents: AgentPatterns) -> None:
        self._note(verb, agents)
        uncovered = self.caller.agents(verb).uncovered(agents)
        if uncovered is not None:
            has_other_verbs = self.caller.agents(None).uncovered(AgentPatterns.of([uncovered])) is None
            raise _refusal(verb, uncovered, has_other_verbs=has_other_verbs)

    def require_request(self, request: Any) -> None:
        """Raise AgentForbidden or VerbForbidden unless the caller may send this request, as far as the gate can tell.

        It can where the request names the one agent. Elsewhere it requires that the caller has the verb for some agent,
        and the service requires the rest. ``request`` is None for a stream of requests.
        """
        verb, further = self.policy.verb, self.policy.further_verbs
        if self.policy.rule is not AccessRule.AGENT:
            if verb is not None and self.caller.agents(verb) == NO_AGENTS:
                raise VerbForbidden(verb.value)
            return
        self.require(verb, request.agent_id)
        for each in () if further is None else further(request):
            self.require(each, request.agent_id)


def _refusal(verb: Verb | None, agent_id: str, *, has_other_verbs: bool) -> Refusal:
    return VerbForbidden(verb.value, agent_id) if verb is not None and has_other_verbs else AgentForbidden(agent_id)
