"""The command that changes the description of an agent."""

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.result import RESULT_BYTES, Result
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.agents.agent import AGENT, Agent, AgentDefaults


class AgentUpdated(Result, frozen=True, array_like=True, tag=True):
    """The result of UpdateAgent: the description, None for none, and the agent's times as they are now."""

    description: Agent | None
    create_time: int
    update_time: int
    changed: bool
    created: bool
    revision: int

    @property
    def memory_bytes(self) -> int:
        """An estimate of the result's memory, which includes the description."""
        return RESULT_BYTES + (0 if self.description is None else self.description.size_bytes)


class AgentPatch(msgspec.Struct, frozen=True):
    """The fields to change of an agent. A field that is UNSET keeps its value."""

    display_name: str | msgspec.UnsetType = msgspec.UNSET
    tags: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    metadata_json: str | msgspec.UnsetType = msgspec.UNSET
    defaults: AgentDefaults | msgspec.UnsetType = msgspec.UNSET
    tier: str | msgspec.UnsetType = msgspec.UNSET


class UpdateAgent(Command[AgentUpdated], frozen=True):
    """Change the given fields of the agent, which is created if it does not exist."""

    patch: AgentPatch

    def decide(self, transition: Transition) -> AgentUpdated:
        """Change the given fields. Raises QuotaExceeded."""
        state, descriptions = transition.state, transition.open(AGENT)
        before = next(iter(descriptions.records), None)
        known = before or Agent(tier=transition.new_tier)
        fields = msgspec.structs.asdict(self.patch).items()
        after = msgspec.structs.replace(known, **{name: value for name, value in fields if value is not msgspec.UNSET})
        if after == known and state.exists:
            return AgentUpdated(
                before, state.create_time, state.update_time, changed=False, created=False, revision=state.revision
            )
        create_time = state.create_time or transition.now
        after = msgspec.structs.replace(
            after, create_time=create_time, update_time=transition.now, revision=transition.revision
        ).sized()
        descriptions.put(after)
        return AgentUpdated(
            after, create_time, transition.now, changed=True, created=not state.exists, revision=transition.revision
        )
